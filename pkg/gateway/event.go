package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// event is what of a gateway's event a request is made of.
type event struct {
	RawPath  string            `json:"rawPath"`
	RawQuery string            `json:"rawQueryString"`
	Cookies  []string          `json:"cookies"`
	Headers  map[string]string `json:"headers"` // values of several headers of a name are joined by commas
	Body     string            `json:"body"`
	Base64   bool              `json:"isBase64Encoded"`
	Context  struct {
		Stage  string `json:"stage"`
		Domain string `json:"domainName"`
		HTTP   struct {
			Method   string `json:"method"`
			Path     string `json:"path"`
			SourceIP string `json:"sourceIp"`
		} `json:"http"`
	} `json:"requestContext"`
}

// lenient reads what the gateway writes: it has checked the visitor's request,
// and bytes of a header that are no UTF-8 are the handler's to refuse.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

var errNoRequest = errors.New("gateway: the event is no HTTP request")

// decode reads an event's JSON.
func decode(payload []byte) (event, error) {
	var e event
	if err := json.Unmarshal(payload, &e, lenient); err != nil || e.Context.HTTP.Method == "" {
		return event{}, errNoRequest // the cause would quote the visitor
	}
	return e, nil
}

// request is the request that the event tells of.
func (e event) request(ctx context.Context) (*http.Request, error) {
	body := []byte(e.Body)
	if e.Base64 {
		var err error
		if body, err = base64.StdEncoding.DecodeString(e.Body); err != nil {
			return nil, errNoRequest
		}
	}
	u := &url.URL{Path: e.path(), RawQuery: e.RawQuery}
	r := &http.Request{
		Method: e.Context.HTTP.Method, URL: u, RequestURI: u.RequestURI(), Header: e.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: e.Context.Domain,
		Body: http.NoBody, ContentLength: int64(len(body)),
		// Nobody has use for the visitor's port, but net/http gives one.
		RemoteAddr: net.JoinHostPort(e.Context.HTTP.SourceIP, "0"),
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	r.Header.Del("Host") // as net/http does
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.WithContext(ctx), nil
}

func (e event) path() string {
	path := e.RawPath
	if path == "" {
		path = e.Context.HTTP.Path
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	// The gateway decodes every escape but that of the percent sign.
	path = strings.ReplaceAll(path, "%25", "%")
	if stage := e.Context.Stage; stage != "" && stage != "$default" {
		if rest, ok := strings.CutPrefix(path, "/"+stage); ok && (rest == "" || rest[0] == '/') {
			return "/" + strings.TrimPrefix(rest, "/")
		}
	}
	return path
}

func (e event) header() http.Header {
	h := make(http.Header, len(e.Headers)+1)
	for name, value := range e.Headers {
		h.Add(name, value)
	}
	if len(e.Cookies) > 0 {
		h.Set("Cookie", strings.Join(e.Cookies, "; "))
	}
	return h
}
