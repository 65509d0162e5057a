package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func zipped(r *http.Request) { r.Header.Set("Accept-Encoding", "br, gzip;q=0.5") }

// loaded follows what a page loads, as a browser does, and returns the sizes as
// sent, compressed.
func loaded(t *testing.T, v *visitor, page answer) map[string]int {
	t.Helper()
	sizes := map[string]int{}
	queue := []string{}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		queue = append(queue, m[1])
	}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if _, ok := sizes[path]; ok {
			continue
		}
		a := v.get(path, zipped).is(200)
		sizes[path] = len(a.body)
		if a.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" || a.Header.Get("Content-Encoding") != "gzip" || a.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v", path, a.Header)
		}
		z, err := gzip.NewReader(strings.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(plain, []byte(v.get(path).body)) {
			t.Errorf("%s: compressed it is something else", path)
		}
		for _, m := range regexp.MustCompile(`(?:from|import) "([^"]+)"`).FindAllSubmatch(plain, -1) {
			if !regexp.MustCompile(`^\./[a-z-]+\.[\w-]{8}\.js$`).Match(m[1]) {
				t.Errorf("%s imports %s", path, m[1])
			}
			queue = append(queue, "/assets/"+strings.TrimPrefix(string(m[1]), "./"))
		}
	}
	return sizes
}

func TestTheFirstPageIsSmall(t *testing.T) {
	h := newHouse(t)
	v := h.comesAs("guest")
	scripts := 0
	for name, path := range map[string]string{"front door": "/", "shop": "/shop"} {
		page := v.get(path)
		total := len(v.get(path, zipped).body)
		t.Logf("%s: %d bytes of HTML, compressed %d", name, len(page.body), total)
		for file, n := range loaded(t, v, page) {
			total += n
			if strings.HasSuffix(file, ".js") && name == "shop" {
				scripts += n
			}
			if name == "shop" {
				t.Logf("  %s %d", file, n)
			}
		}
		t.Logf("%s: %d bytes in all", name, total)
		if total > 60<<10 {
			t.Errorf("%s: %d bytes in all, more than 60 KB", name, total)
		}
	}
	t.Logf("all scripts: %d bytes", scripts)
	if scripts > 60<<10 {
		t.Errorf("the scripts have %d bytes, more than 60 KB", scripts)
	}
}

func TestEveryModuleIsLoadedByAPage(t *testing.T) {
	v := &visitor{house: newHouse(t)}
	sizes := loaded(t, v, v.get("/"))
	files, err := filepath.Glob("assets/*")
	if err != nil || len(files) != len(sizes) {
		t.Errorf("%d files, %d loaded: %v %v", len(files), len(sizes), sizes, err)
	}
}

func TestNoModuleAsksTheDeviceForTheTime(t *testing.T) {
	files, _ := filepath.Glob("assets/*.js")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile(`(?m)//.*$`).ReplaceAllString(string(b), "")
		for _, word := range []string{"Date.now", "new Date", "innerHTML", "eval(", ".style", "cssText"} {
			if strings.Contains(code, word) {
				t.Errorf("%s uses %s", f, word)
			}
		}
	}
}

// The palette, read from the style sheet: text at 4.5 to its ground at least,
// the accent, which only carries large text and marks, at 3.
func TestColoursCanBeTold(t *testing.T) {
	b, err := os.ReadFile("assets/bakery.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s):root \{.*?\}`).FindAllString(string(b), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d palettes, want light and dark", len(blocks))
	}
	for i, want := range []map[string]string{
		{"paper": "#faf7f2", "ink": "#221d17", "rule": "#e4dccf", "accent": "#b8660a"},
		{"paper": "#191613", "ink": "#efe8dd", "rule": "#38312a", "accent": "#f0a63c"},
	} {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{6})`).FindAllStringSubmatch(blocks[i], -1) {
			colours[m[1]] = m[2]
		}
		for name, c := range want {
			if colours[name] != c {
				t.Errorf("palette %d: %s is %s, want %s", i, name, colours[name], c)
			}
		}
		for _, c := range []struct {
			over, under string
			least       float64
		}{{"ink", "paper", 4.5}, {"soft", "paper", 4.5}, {"paid", "paper", 4.5}, {"lost", "paper", 4.5}, {"ink", "rule", 4.5}, {"accent", "paper", 3}} {
			if got := contrast(colours[c.over], colours[c.under]); got < c.least {
				t.Errorf("palette %d: %s on %s is %.2f, want %.1f", i, c.over, c.under, got, c.least)
			}
		}
	}
	if outside := regexp.MustCompile(`(?s):root \{.*?\}`).ReplaceAllString(string(b), ""); regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl`).MatchString(outside) {
		t.Error("a colour is named outside the palette")
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, _ := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
