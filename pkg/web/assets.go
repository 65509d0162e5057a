package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"pocbakery/pkg/refusal"
)

//go:embed assets
var assetFiles embed.FS

// assets are the files under /assets/, by hashed name.
type assets struct {
	hashed  map[string]string // "ring.js" to "ring.Xb3k9d2Q.js"
	files   map[string]*asset // by hashed name
	missing func(http.ResponseWriter, *http.Request, error)
}

// asset is one file as it is sent. Compressing waits for the first who asks,
// so that a start that serves no page does not pay for it.
type asset struct {
	kind   string
	plain  []byte
	zipped func() []byte
}

// imports finds what a module imports of ours. Modules stand in one directory.
var imports = regexp.MustCompile(`(from |import )"\./([a-z-]+\.js)"`)

// loadAssets names every file by its content. A module's imports are rewritten
// to hashed names first, so that its name changes with what it imports.
func loadAssets() assets {
	a := assets{hashed: map[string]string{}, files: map[string]*asset{}}
	entries, err := assetFiles.ReadDir("assets")
	if err != nil {
		panic("web: " + err.Error())
	}
	for _, e := range entries {
		a.load(e.Name(), nil)
	}
	return a
}

// load hashes a file after all that it imports, and returns its hashed name.
func (a assets) load(name string, importers []string) string {
	if h, ok := a.hashed[name]; ok {
		return h
	}
	for _, i := range importers {
		if i == name {
			panic("web: modules import each other: " + strings.Join(append(importers, name), " "))
		}
	}
	b, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic("web: " + err.Error())
	}
	ext := path.Ext(name)
	if ext == ".js" {
		b = imports.ReplaceAllFunc(b, func(m []byte) []byte {
			sub := imports.FindSubmatch(m)
			return []byte(string(sub[1]) + `"./` + a.load(string(sub[2]), append(importers, name)) + `"`)
		})
	}
	sum := sha256.Sum256(b)
	hashed := strings.TrimSuffix(name, ext) + "." + base64.RawURLEncoding.EncodeToString(sum[:6]) + ext
	a.hashed[name] = hashed
	a.files[hashed] = &asset{kind: kindOf(ext), plain: b, zipped: sync.OnceValue(func() []byte { return zip(b) })}
	return hashed
}

// url is the address of a file.
func (a assets) url(name string) string {
	h, ok := a.hashed[name]
	if !ok {
		panic("web: no asset " + name)
	}
	return "/assets/" + h
}

// serve answers for ever: the name changes with the content.
func (a assets) serve(w http.ResponseWriter, r *http.Request) {
	f, ok := a.files[r.PathValue("name")]
	if !ok {
		a.missing(w, r, refusal.New(refusal.NoSuchRoute, "No file has this name."))
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	send(w, r, http.StatusOK, f.plain, f.zipped)
}

// send writes a body, compressed for who takes it so. net/http drops the body
// of an answer to HEAD.
func send(w http.ResponseWriter, r *http.Request, status int, plain []byte, zipped func() []byte) {
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	if takesGzip(r) {
		plain = zipped()
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(plain)))
	w.WriteHeader(status)
	_, _ = w.Write(plain)
}

func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q, found := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
			return !found || strings.Trim(q, "0.") != ""
		}
	}
	return false
}

func zip(b []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(b)
	_ = z.Close()
	return out.Bytes()
}

// kindOf is a file's content type; the machine's own tables are not asked.
func kindOf(ext string) string {
	switch ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return mime.TypeByExtension(ext)
}
