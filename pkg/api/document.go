package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"pocbakery/pkg/refusal"
)

const documentPath = "/openapi.json"

// document is the published OpenAPI document, made at its first GET: most
// starts never need it.
type document struct {
	make  func() ([]byte, error)
	once  sync.Once
	bytes []byte
	tag   string
	err   error
}

func newDocument(rts []route) *document {
	return &document{make: func() ([]byte, error) { return json.Marshal(describe(rts)) }}
}

func (d *document) read() ([]byte, string, error) {
	d.once.Do(func() {
		if d.bytes, d.err = d.make(); d.err == nil {
			sum := sha256.Sum256(d.bytes)
			d.tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		}
	})
	return d.bytes, d.tag, d.err
}

func (s *server) serveDocument(w http.ResponseWriter, r *http.Request) {
	const allow = "GET, HEAD, OPTIONS"
	switch r.Method {
	case http.MethodGet, http.MethodHead:
	case http.MethodOptions:
		w.Header().Set("Allow", allow)
		w.WriteHeader(http.StatusNoContent)
		return
	default:
		s.methodNotAllowed(w, r, allow)
		return
	}
	doc, tag, err := s.document.read()
	if err != nil {
		s.refuse(w, r, documentPath, err)
		return
	}
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = jsonType, noSniff
	h.Set("Etag", tag)
	h.Set("Cache-Control", "public, max-age=60")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(doc))
}

// refusals is everything a route can refuse, beside what its service can: the
// checks it goes through.
func (rt *route) refusals() []refusal.Code {
	codes := []refusal.Code{refusal.Internal, refusal.TableUnavailable}
	if !safe(rt.method) {
		if rt.method != http.MethodDelete { // ending what one has is always allowed
			codes = append(codes, refusal.ReadOnly)
		}
		codes = append(codes, refusal.UnsupportedMedia, refusal.BodyTooLarge, refusal.MalformedBody, refusal.UnknownField, refusal.CrossOrigin)
	}
	if rt.body != nil || rt.query != nil {
		codes = append(codes, refusal.Invalid)
	}
	if rt.who != open {
		codes = append(codes, refusal.Unauthenticated, refusal.SandboxEnded)
	}
	if rt.on == shopHub && (rt.who == anyone || rt.who == baker) {
		codes = append(codes, refusal.NoShop)
	}
	if rt.on == plannerHub {
		codes = append(codes, refusal.AccountEnding)
	}
	if rt.who == baker || rt.who == signed || rt.noTokens {
		codes = append(codes, refusal.Forbidden)
	}
	if rt.key != keyIgnored {
		codes = append(codes, refusal.KeyInvalid)
	}
	if rt.key == keyRequired || rt.key == keySecret {
		codes = append(codes, refusal.KeyMissing)
	}
	return append(codes, rt.refuses...)
}
