package human_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pocbakery/pkg/human"
)

// The time here is the bubble's: what hangs is refused at two seconds to the
// nanosecond, on whatever machine.
func TestWhateverHangsIsRefusedAfterTwoSeconds(t *testing.T) { // H2
	type conn = net.Conn
	for name, serve := range map[string]func(conn){
		"the connection":            nil,
		"the question is not taken": func(conn) {},
		"the answer does not begin": func(c conn) { _, _ = io.Copy(io.Discard, c) },
		"the headers do not end":    func(c conn) { go io.Copy(io.Discard, c); _, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Slow: ") },
		"the body does not end": func(c conn) {
			go io.Copy(io.Discard, c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"success\":true")
		},
		"one byte comes now and then":  trickle,
		"the first breaks, then hangs": breakThenHang(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reported []string
				k := checker(t, human.Config{Address: "http://siteverify.test", Report: func(event string, _ error) { reported = append(reported, event) }})
				k.DialWith(func(context.Context, string, string) (net.Conn, error) {
					if serve == nil {
						time.Sleep(human.Patience) // as long as a dial may take
						return nil, errors.New("nobody answers")
					}
					ours, theirs := net.Pipe()
					go serve(theirs)
					return ours, nil
				})
				began := time.Now()
				same(t, outcome(k.Check(t.Context(), "token", retry)), unavailable, "the check")
				same(t, time.Since(began), 2*time.Second, "it took")
				same(t, strings.Join(reported, " "), "siteverify_unavailable", "the operator is told")
				time.Sleep(human.Patience) // what the check left behind has its own end
			})
		})
	}
}

func trickle(c net.Conn) {
	go io.Copy(io.Discard, c)
	if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"); err != nil {
		return
	}
	for {
		time.Sleep(100 * time.Millisecond)
		if _, err := io.WriteString(c, " "); err != nil {
			return
		}
	}
}

// breakThenHang loses the first answer after a second and a half, and takes
// the second question without a word.
func breakThenHang() func(net.Conn) {
	first := true
	return func(c net.Conn) {
		if first {
			first = false
			go io.Copy(io.Discard, c)
			time.Sleep(1500 * time.Millisecond)
			c.Close()
			return
		}
		_, _ = io.Copy(io.Discard, c)
	}
}

func TestAnAnswerJustInTimeIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := checker(t, human.Config{Address: "http://siteverify.test"})
		k.DialWith(func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				go io.Copy(io.Discard, theirs)
				time.Sleep(2*time.Second - time.Nanosecond)
				_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"success\":true}")
			}()
			return ours, nil
		})
		same(t, outcome(k.Check(t.Context(), "token", retry)), "pass", "the check")
	})
}
