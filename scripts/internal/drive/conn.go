// Package drive drives a running shop over HTTP, for the load and the bench
// programs. It knows the HTTP contract and nothing of the product's code.
//
// On a small machine the client shares its cores with the server, so it is
// kept lean: a connection writes a request with one call and reads the answer
// into a buffer it keeps, and only the few fields that matter are looked at.
package drive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// patience is how long one answer may take; a server that hangs is an error.
const patience = 60 * time.Second

// Conn is one keep-alive HTTP/1.1 connection. It is not for concurrent use.
type Conn struct {
	addr   string
	source string // local address, empty for any
	c      net.Conn
	r      *bufio.Reader
	out    []byte
	body   []byte
}

// Answer is what came back. Body is valid until the connection's next request.
type Answer struct {
	Status int
	Body   []byte
}

// Dial connects to addr ("127.0.0.1:8080"), from source where that is not empty.
func Dial(addr, source string) (*Conn, error) {
	c := &Conn{addr: addr, source: source, r: bufio.NewReaderSize(nil, 8<<10)}
	return c, c.dial()
}

func (c *Conn) dial() error {
	d := net.Dialer{Timeout: patience}
	if c.source != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(c.source)}
	}
	conn, err := d.Dial("tcp", c.addr)
	if err != nil {
		return err
	}
	c.c = conn
	c.r.Reset(conn)
	return nil
}

// Close closes the connection.
func (c *Conn) Close() {
	if c.c != nil {
		c.c.Close()
	}
}

// Do sends one request and reads its answer. The key and the token may be
// empty. Nothing is ever sent twice: a lost connection is an error.
func (c *Conn) Do(method, path, token, key string, body []byte) (Answer, error) {
	if c.c == nil {
		if err := c.dial(); err != nil {
			return Answer{}, err
		}
	}
	b := c.out[:0]
	b = append(b, method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, c.addr...)
	if token != "" {
		b = append(b, "\r\nAuthorization: Bearer "...)
		b = append(b, token...)
	}
	if key != "" {
		b = append(b, "\r\nIdempotency-Key: "...)
		b = append(b, key...)
	}
	if body != nil {
		b = append(b, "\r\nContent-Type: application/json\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(body)), 10)
	}
	b = append(b, "\r\n\r\n"...)
	b = append(b, body...)
	c.out = b

	answer, err := c.exchange(method)
	if err != nil {
		c.c.Close()
		c.c = nil
		return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return answer, nil
}

func (c *Conn) exchange(method string) (Answer, error) {
	if err := c.c.SetDeadline(time.Now().Add(patience)); err != nil {
		return Answer{}, err
	}
	if _, err := c.c.Write(c.out); err != nil {
		return Answer{}, err
	}
	status, length, chunked, last, err := c.head()
	if err != nil {
		return Answer{}, err
	}
	switch {
	case method == "HEAD" || status == 204 || status == 304:
		c.body = c.body[:0]
	case chunked:
		err = c.chunks()
	case length >= 0:
		err = c.exactly(length)
	default:
		err = errors.New("an answer without a length")
	}
	if err == nil && last {
		c.c.Close()
		c.c = nil
	}
	return Answer{Status: status, Body: c.body}, err
}

// head reads the status line and the headers that frame the body.
func (c *Conn) head() (status, length int, chunked, last bool, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return 0, 0, false, false, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if first {
			if len(line) < 12 || string(line[:7]) != "HTTP/1." {
				return 0, 0, false, false, fmt.Errorf("no status line: %q", line)
			}
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, 0, false, false, fmt.Errorf("no status: %q", line)
			}
			continue
		}
		if len(line) == 0 {
			return status, length, chunked, last, nil
		}
		if v, ok := header(line, "content-length"); ok {
			if length, err = strconv.Atoi(string(v)); err != nil || length < 0 {
				return 0, 0, false, false, fmt.Errorf("no length: %q", line)
			}
		} else if v, ok := header(line, "transfer-encoding"); ok {
			chunked = bytes.EqualFold(v, []byte("chunked"))
		} else if v, ok := header(line, "connection"); ok {
			last = bytes.EqualFold(v, []byte("close"))
		}
	}
}

// header is the value of a header line of that lower-case name.
func header(line []byte, name string) ([]byte, bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

func (c *Conn) exactly(n int) error {
	c.body = grow(c.body[:0], n)
	_, err := io.ReadFull(c.r, c.body)
	return err
}

func (c *Conn) chunks() error {
	c.body = c.body[:0]
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
		n, err := strconv.ParseUint(string(size), 16, 31)
		if err != nil {
			return fmt.Errorf("no chunk: %q", line)
		}
		if n > 0 {
			at := len(c.body)
			c.body = grow(c.body, int(n))
			if _, err := io.ReadFull(c.r, c.body[at:]); err != nil {
				return err
			}
		}
		if _, err := c.r.Discard(2); err != nil { // the line's end; no trailers are sent
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// grow makes b longer by n bytes, whatever they hold.
func grow(b []byte, n int) []byte {
	if need := len(b) + n; need > cap(b) {
		b = append(make([]byte, 0, max(need, 2*cap(b))), b...)
	}
	return b[:len(b)+n]
}

// Text is the string under a name in a JSON body, where it first stands; good
// for flat answers of ours, not for JSON at large.
func Text(body []byte, name string) string {
	mark := append(append([]byte{'"'}, name...), '"', ':')
	i := bytes.Index(body, mark)
	if i < 0 {
		return ""
	}
	rest := bytes.TrimLeft(body[i+len(mark):], " ")
	if len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	end := bytes.IndexByte(rest[1:], '"')
	if end < 0 {
		return ""
	}
	return string(rest[1 : 1+end])
}
