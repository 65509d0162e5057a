package gateway

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// answer is an http.ResponseWriter that keeps what is written.
type answer struct {
	header http.Header // the handler's to change until the answer begins
	sent   http.Header // as it stood when the answer began
	status int         // 0 before that
	body   bytes.Buffer
	bare   bool // an answer to HEAD has no body
}

func newAnswer(method string) *answer {
	return &answer{header: http.Header{}, bare: method == http.MethodHead}
}

// Header is the header to fill.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader begins the answer; only the first one counts, and one that only
// announces another does not.
func (a *answer) WriteHeader(status int) {
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("gateway: %d is no status", status))
	}
	if a.status != 0 || status < http.StatusOK {
		return
	}
	a.status, a.sent = status, a.header.Clone()
	a.bare = a.bare || status == http.StatusNoContent || status == http.StatusNotModified
}

// Write adds to the body.
func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		if _, set := a.header["Content-Type"]; !set {
			a.header.Set("Content-Type", http.DetectContentType(b))
		}
		a.WriteHeader(http.StatusOK)
	}
	if a.bare {
		return len(b), nil
	}
	return a.body.Write(b)
}

// reply is an answer as the gateway takes it.
type reply struct {
	Status  int               `json:"statusCode"`
	Headers map[string]string `json:"headers"`
	Cookies []string          `json:"cookies,omitempty"`
	Body    string            `json:"body"`
	Base64  bool              `json:"isBase64Encoded"`
}

// oneLine keeps a header's value from beginning another header, as net/http does.
var oneLine = strings.NewReplacer("\r", " ", "\n", " ")

// encode is the answer's JSON.
func (a *answer) encode() ([]byte, error) {
	out := reply{Status: a.status, Headers: make(map[string]string, len(a.sent))}
	for name, values := range a.sent {
		switch name {
		case "Set-Cookie": // joined by commas, two cookies would be none
			out.Cookies = values
		case "Content-Length": // the gateway counts for itself
		default:
			out.Headers[name] = oneLine.Replace(strings.Join(values, ", "))
		}
	}
	if b := a.body.Bytes(); utf8.Valid(b) {
		out.Body = string(b)
	} else {
		out.Body, out.Base64 = base64.StdEncoding.EncodeToString(b), true
	}
	return json.Marshal(out, lenient)
}
