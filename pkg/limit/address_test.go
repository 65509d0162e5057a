package limit_test

import (
	"testing"

	"pocbakery/pkg/limit"
)

func TestAnAddressIsThatOfWhoeverHasIt(t *testing.T) {
	for remote, want := range map[string]string{
		"203.0.113.9:4711":                   "203.0.113.9",
		"[::ffff:203.0.113.9]:4711":          "203.0.113.9",
		"[2001:db8:1:2:3:4:5:6]:4711":        "2001:db8:1:2::",
		"[2001:db8:1:2:ffff:ffff::1]:80":     "2001:db8:1:2::",
		"[2001:db8:1:3::1]:80":               "2001:db8:1:3::",
		"[fe80::1%eth0]:80":                  "fe80::",
		"[::1]:80":                           "::",
		"203.0.113.9":                        "invalid IP",
		"":                                   "invalid IP",
		"somebody:80":                        "invalid IP",
		"203.0.113.9, 198.51.100.1:80":       "invalid IP",
		"[2001:db8:1:2:3:4:203.0.113.9]:443": "2001:db8:1:2::",
	} {
		if got := limit.AddressOf(remote).String(); got != want {
			t.Errorf("%q: got %s, want %s", remote, got, want)
		}
	}
}
