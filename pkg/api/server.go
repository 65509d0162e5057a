package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
	"pocbakery/pkg/refusal"
)

// maxRequest is the longest a request may take; the table's own attempts end
// before it.
const maxRequest = 10 * time.Second

// server holds what the handlers stand on.
type server struct {
	Config
	door     *Door
	mux      *http.ServeMux
	document *document
}

// New is the whole of HTTP: the routes under /v1, the OpenAPI document, and
// the pages for everything else.
func New(c Config) http.Handler {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{Config: c, door: NewDoor(c.Sessions, c.Accounts, c.Clock), mux: http.NewServeMux()}
	rts := routes()
	if c.Only != nil {
		rts = slices.DeleteFunc(rts, func(rt route) bool { return !slices.Contains(c.Only, rt.id) })
	}
	s.document = newDocument(rts)
	paths := map[string]*methods{}
	for _, rt := range rts {
		if paths[rt.path] == nil {
			paths[rt.path] = &methods{server: s}
		}
		paths[rt.path].add(&rt)
	}
	for path, m := range paths {
		s.mux.Handle(path, m)
	}
	if c.SignIn != nil {
		for _, path := range []string{loginPath, callbackPath} {
			s.mux.HandleFunc(path, s.signIn)
		}
	}
	s.mux.HandleFunc(documentPath, s.serveDocument)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.noSuchRoute(w, r) })
	return edge{s}
}

// methods are the routes of one path.
type methods struct {
	server *server
	routes []*route
	allow  string
}

func (m *methods) add(rt *route) {
	m.routes = append(m.routes, rt)
	var allow []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if m.find(method) != nil {
			allow = append(allow, method)
		}
	}
	m.allow = strings.Join(append(allow, http.MethodOptions), ", ")
}

// find is the route of a method, nil for none. Whoever may GET may ask for the head.
func (m *methods) find(method string) *route {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, rt := range m.routes {
		if rt.method == method {
			return rt
		}
	}
	return nil
}

func (m *methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rt := m.find(r.Method)
	switch {
	case rt != nil:
		m.server.serve(rt, w, r)
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", m.allow)
		w.WriteHeader(http.StatusNoContent)
	default:
		m.server.methodNotAllowed(w, r, m.allow)
	}
}

func (s *server) methodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) {
	w.Header().Set("Allow", allow)
	s.refuse(w, r, "", refusal.New(refusal.MethodNotAllowed, "This address takes "+allow+"."))
}

// call is one request on its way.
type call struct {
	ctx     context.Context
	request *http.Request
	writer  http.ResponseWriter
	session access.Session // zero on an open route
	who     hub.Who
	key     string
	status  int // of success
}

// path is a part of the path. What no id of ours looks like is empty, which no
// service knows either.
func (c *call) path(name string) string {
	v := c.request.PathValue(name)
	if len(v) > maxPathValue || !visible(v) {
		return ""
	}
	return v
}

const maxPathValue = 128

// replayed marks an answer as that of an earlier request under the same key.
func (c *call) replayed() {
	c.status = http.StatusOK
	c.writer.Header().Set("Idempotent-Replayed", "true")
}

// serve takes a request through the checks, to the service, and back.
func (s *server) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), maxRequest)
	defer cancel()
	c := &call{ctx: ctx, request: r, writer: w, status: rt.status}
	raw := takeBuffer()
	defer raw.release()
	answer, err := s.answer(rt, c, raw)
	if err != nil {
		s.refuse(w, r, rt.path, err)
		return
	}
	s.write(w, r, rt.path, c.status, answer)
}

// answer is the order of the checks; see the package doc.
func (s *server) answer(rt *route, c *call, raw *buffer) (any, error) {
	if !rt.unread {
		if err := readBody(c.request, raw); err != nil {
			return nil, err
		}
	}
	if rt.who != open {
		if err := s.at(rt, c); err != nil {
			return nil, err
		}
	}
	if CrossOrigin(c.request) {
		return nil, crossOrigin()
	}
	if rt.who != open {
		if err := s.limited(c.writer, c.request, c.who); err != nil {
			return nil, err
		}
	}
	if rt.who == baker && c.who.Role != hub.Baker {
		return nil, refusal.New(refusal.Forbidden, "Only the bakers of a shop may do this.")
	}
	if rt.noTokens && c.who.Token != "" {
		return nil, refusal.New(refusal.Forbidden, "An API token may not do this: it takes a session.")
	}
	var err error
	if c.key, err = idempotencyKey(c.request.Header, rt.key); err != nil {
		return nil, err
	}
	return rt.serve(s, c, raw.Bytes())
}
