package api

import (
	"reflect"
	"sync"
)

// endpoint is a route's own part: the types of what it reads and writes, from
// which the document is made, and the function between them.
type endpoint struct {
	body, query, answer reflect.Type // nil for none
	unread              bool         // the body is none of ours, whatever it is
	serve               func(*server, *call, []byte) (any, error)
}

// takes is an endpoint that needs a body.
func takes[B, A any](h func(*server, *call, *B) (A, error)) endpoint {
	t := reflect.TypeFor[B]()
	shape := sync.OnceValue(func() *shape { return shapeOf(t) })
	return endpoint{body: t, answer: reflect.TypeFor[A](), serve: func(s *server, c *call, raw []byte) (any, error) {
		in := new(B)
		if err := decode(raw, shape(), reflect.ValueOf(in).Elem()); err != nil {
			return nil, err
		}
		out, err := h(s, c, in)
		return &out, err
	}}
}

// asks is an endpoint that reads the query.
func asks[Q, A any](h func(*server, *call, *Q) (A, error)) endpoint {
	t := reflect.TypeFor[Q]()
	shape := sync.OnceValue(func() *shape { return shapeOf(t) })
	return endpoint{query: t, answer: reflect.TypeFor[A](), serve: func(s *server, c *call, _ []byte) (any, error) {
		in := new(Q)
		if err := decodeQuery(c.request.URL.RawQuery, shape(), reflect.ValueOf(in).Elem()); err != nil {
			return nil, err
		}
		out, err := h(s, c, in)
		return &out, err
	}}
}

// unread leaves whatever body comes with a request alone: it is of somebody
// else's making.
func unread(e endpoint) endpoint {
	e.unread = true
	return e
}

// gives is an endpoint that reads neither.
func gives[A any](h func(*server, *call) (A, error)) endpoint {
	return endpoint{answer: reflect.TypeFor[A](), serve: func(s *server, c *call, raw []byte) (any, error) {
		if err := decodeNothing(raw); err != nil {
			return nil, err
		}
		out, err := h(s, c)
		return &out, err
	}}
}

// told is an endpoint that reads the query, and whose success has nothing to say.
func told[Q any](h func(*server, *call, *Q) error) endpoint {
	asked := asks(func(s *server, c *call, in *Q) (struct{}, error) { return struct{}{}, h(s, c, in) })
	return endpoint{query: asked.query, serve: func(s *server, c *call, raw []byte) (any, error) {
		if err := decodeNothing(raw); err != nil {
			return nil, err
		}
		_, err := asked.serve(s, c, raw)
		return nil, err
	}}
}

// does is an endpoint whose success has nothing to say.
func does(h func(*server, *call) error) endpoint {
	return endpoint{serve: func(s *server, c *call, raw []byte) (any, error) {
		if err := decodeNothing(raw); err != nil {
			return nil, err
		}
		return nil, h(s, c)
	}}
}
