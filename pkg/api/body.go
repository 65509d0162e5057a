package api

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"pocbakery/pkg/refusal"
)

// MaxBody is the most a request's body has, in bytes.
const MaxBody = 16 << 10

// readBody reads a command's body, whatever the route does with it. What only
// looks has none.
func readBody(r *http.Request, into *buffer) error {
	if safe(r.Method) || r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	if r.ContentLength > MaxBody {
		return tooLarge()
	}
	into.limit = io.LimitedReader{R: r.Body, N: MaxBody + 1}
	n, err := into.ReadFrom(&into.limit)
	switch {
	case n > MaxBody:
		return tooLarge()
	case err != nil:
		return malformed("", "The body broke off.")
	case n > 0 && !isJSON(r.Header):
		return refusal.At(refusal.UnsupportedMedia, "Content-Type", "A body is application/json, in UTF-8, and not compressed.")
	}
	return nil
}

func tooLarge() error {
	return refusal.New(refusal.BodyTooLarge, fmt.Sprintf("A body has at most %d bytes.", MaxBody))
}

func malformed(field, detail string) error { return refusal.At(refusal.MalformedBody, field, detail) }

func isJSON(h http.Header) bool {
	if _, coded := h["Content-Encoding"]; coded {
		return false
	}
	switch v := h["Content-Type"]; {
	case len(v) != 1:
		return false
	case v[0] == "application/json":
		return true
	default:
		media, params, err := mime.ParseMediaType(v[0])
		charset, named := params["charset"]
		return err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
	}
}

// buffer is bytes that are used again: requests come and go by the thousand.
type buffer struct {
	bytes.Buffer
	limit io.LimitedReader
}

var buffers = sync.Pool{New: func() any { return new(buffer) }}

func takeBuffer() *buffer { return buffers.Get().(*buffer) }

// maxKept bounds what one answer makes every later one keep.
const maxKept = 64 << 10

func (b *buffer) release() {
	if b.Cap() > maxKept {
		return
	}
	clear(b.Bytes()) // a key or token of one request is not the next one's to see
	b.Reset()
	b.limit.R = nil
	buffers.Put(b)
}
