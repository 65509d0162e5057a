// Package ministack runs a local AWS, so that what speaks to AWS is proved
// against the real protocol without an account, without Docker and without the
// network: `make venv` installs it into .cache/aws-venv.
//
// A server listens on 127.0.0.1, keeps its things in memory and in a folder of
// its own, and ends with whoever started it, however that ends.
//
// # What it does differently from AWS
//
// Found in version 1.5.33, by its source and by our tests. A change of the
// version in scripts/requirements.txt is a reason to look again.
//
// Scheduler:
//   - It looks for what is due every 10 s, so a one-shot fires up to 10 s after
//     its instant, and never twice.
//   - It takes an at() in the past and fires it at its next look; nothing
//     refuses one.
//   - ListSchedules answers at most MaxResults schedules, and no NextToken ever:
//     what is past the first page is not to be had. Pages are tested against a
//     server of our own.
//   - ClientToken is ignored, names and times are not checked, and the dead-letter
//     queue and the retry policy of a target are kept but mean nothing.
//
// DynamoDB:
//   - Every read consumes one unit, or half a one, whatever it reads; writes
//     consume what AWS documents, indexes included. stacktest.Metered corrects
//     the reads.
//   - Two attributes that are not there are equal to each other.
//   - An answer may be on its way before the request was read to its end.
//
// Everything:
//   - Credentials are not checked; the region is the one a request is signed for.
//   - Answers come at once or after a pause of Python's, never throttled, never
//     lost, never in conflict: faults are injected by servers of our own.
//   - Its default is to listen on every address and on port 8883 besides; Start
//     turns both off.
//   - Nothing survives a restart.
package ministack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Region and Account are where the things of a server are.
const (
	Region  = "us-east-1"
	Account = "000000000000"
)

const (
	startWithin = 60 * time.Second // on a busy machine
	stopWithin  = 5 * time.Second
	askEvery    = 50 * time.Millisecond
)

// ErrNoVenv is Start's where `make venv` has not been run.
var ErrNoVenv = errors.New("there is no local AWS here: make venv")

// Server is a running local AWS.
type Server struct {
	URL string // http://127.0.0.1:port, of every service

	cmd   *exec.Cmd
	lease io.Closer // the server's standard input: what is closed ends it
	dir   string
	gone  chan struct{} // closed when the process has ended
	log   *tail
}

// Venv is the folder of the tools in Python, below the project's root, which
// is looked for from the working directory upwards.
func Venv() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			venv := filepath.Join(dir, ".cache", "aws-venv")
			stamps, err := filepath.Glob(filepath.Join(venv, "of-*"))
			if err != nil || len(stamps) == 0 {
				return "", ErrNoVenv
			}
			return venv, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNoVenv
		}
		dir = parent
	}
}

// Start starts a server and returns when it answers. Port 0 is a free one. env
// is what else stands in its environment, and so in that of the functions.
func Start(ctx context.Context, port int, env ...string) (*Server, error) {
	venv, err := Venv()
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ { // another process may take a port that was free a moment ago
		free, err := unused(port)
		if err != nil {
			return nil, err
		}
		s, err := start(ctx, venv, free, env)
		if err == nil || port != 0 || try == 3 || ctx.Err() != nil {
			return s, err
		}
	}
}

// leased runs a program that ends, with its process group, when the standard
// input does: a server must not outlive a test that was killed.
const leased = `exec 3<&0; (cat <&3 >/dev/null; kill -TERM 0) & exec "$0" </dev/null 3<&-`

func start(ctx context.Context, venv string, port int, env []string) (*Server, error) {
	dir, err := os.MkdirTemp("", "ministack-")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://127.0.0.1:" + strconv.Itoa(port), dir: dir, gone: make(chan struct{}), log: &tail{}}
	s.cmd = exec.Command("/bin/sh", "-c", leased, filepath.Join(venv, "bin", "ministack"))
	s.cmd.Dir = dir
	// Nothing of the caller's: no credentials, no region, no proxy.
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "LANG=C.UTF-8",
		"BIND_HOST=127.0.0.1", "GATEWAY_PORT=" + strconv.Itoa(port), "LOG_LEVEL=WARNING",
		"MINISTACK_REGION=" + Region, "MINISTACK_ACCOUNT_ID=" + Account,
		"SFTP_ENABLED=0", "IOT_MTLS_ENABLED=0",
	}, env...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.lease, err = s.cmd.StdinPipe(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.gone)
	}()
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the local AWS: %w\n%s", err, s.log), s.Stop())
	}
	return s, nil
}

// await returns when the server answers.
func (s *Server) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.gone:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("it never answered: %w", ctx.Err())
		case <-tick.C:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/_ministack/health", nil)
		if err != nil {
			return err
		}
		if a, err := http.DefaultClient.Do(req); err == nil {
			_ = a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

// Gone is closed when the process has ended, whoever ended it.
func (s *Server) Gone() <-chan struct{} { return s.gone }

// Stop ends the server and what it started, and removes its folder.
func (s *Server) Stop() error {
	_ = s.lease.Close()
	select {
	case <-s.gone:
	case <-time.After(stopWithin):
	}
	// What is left of the group, if anything is.
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
	<-s.gone
	return os.RemoveAll(s.dir)
}

// Log is the last of what the server wrote.
func (s *Server) Log() string { return s.log.String() }

// unused is the port, if nobody has it; a free one for 0. That the server
// answers would say nothing where another one has its port.
func unused(port int) (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// tail keeps the last of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const tailBytes = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(p)
	if over := t.buf.Len() - tailBytes; over > 0 {
		t.buf.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
