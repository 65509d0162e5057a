package signin

import (
	"net/url"
	"strings"
	"testing"
)

func TestAfterwardsABrowserStaysWithUs(t *testing.T) {
	for next, want := range map[string]string{
		"/": "/", "/planner": "/planner", "/shop?date=2026-12-01#x": "/shop?date=2026-12-01#x",
		"": "/", "planner": "/", "//elsewhere.example": "/", "/\\elsewhere.example": "/", "https://elsewhere.example": "/",
		"/\t/elsewhere.example": "/", "/a\nb": "/", "/%zz": "/", "/" + strings.Repeat("a", 2000): "/", "/\x7f": "/",
	} {
		if got := pathOfOurs(next); got != want {
			t.Errorf("%.40q: %q, want %q", next, got, want)
		}
	}
}

func FuzzNext(f *testing.F) {
	for _, s := range []string{"/", "//x", "/\\x", "/a?b#c", "/\tx", "https://x"} {
		f.Add(s)
	}
	base, err := url.Parse("https://bakery.example/v1/login/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := pathOfOurs(next)
		// What a browser makes of it: a backslash is a slash, control characters go.
		seen := strings.Map(func(r rune) rune {
			switch {
			case r == '\\':
				return '/'
			case r < ' ':
				return -1
			}
			return r
		}, got)
		u, err := base.Parse(seen)
		if err != nil || u.Host != base.Host || u.Scheme != base.Scheme {
			t.Errorf("%q leads to %q: %v, %v", next, got, u, err)
		}
	})
}
