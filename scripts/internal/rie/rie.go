// Package rie runs a function of Lambda under AWS's runtime interface emulator:
// the binary as it is deployed, started by its first event, without Docker.
package rie

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
	"syscall"
	"time"
)

const (
	startWithin = 20 * time.Second
	askEvery    = 5 * time.Millisecond
)

// Build builds the bootstrap of a main package as it is deployed, for this
// machine, into a folder of dir.
func Build(ctx context.Context, dir, pkg string) (string, error) {
	out := filepath.Join(dir, filepath.Base(pkg), "bootstrap")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", pkg, err, said)
	}
	return out, nil
}

// Function is a function that waits for its first event.
type Function struct {
	url  string
	cmd  *exec.Cmd
	log  *bytes.Buffer
	gone chan struct{}
}

// Start starts the emulator over a bootstrap. The function itself starts with
// its first event, in this environment and nothing else.
func Start(ctx context.Context, emulator, bootstrap string, env []string) (*Function, error) {
	ports, err := free(2)
	if err != nil {
		return nil, err
	}
	f := &Function{url: "http://" + ports[0] + "/2015-03-31/functions/function/invocations", log: &bytes.Buffer{}, gone: make(chan struct{})}
	f.cmd = exec.CommandContext(ctx, emulator, "--log-level", "error", "--runtime-interface-emulator-address", ports[0], "--runtime-api-address", ports[1], bootstrap)
	f.cmd.Env, f.cmd.Dir = env, filepath.Dir(bootstrap)
	f.cmd.Stdout, f.cmd.Stderr = f.log, f.log
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := f.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = f.cmd.Wait(); close(f.gone) }()
	for began := time.Now(); ; {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", ports[0])
		if err == nil {
			return f, c.Close()
		}
		select {
		case <-f.gone:
			return nil, fmt.Errorf("the emulator ended: %s", f.log)
		case <-time.After(askEvery):
		}
		if time.Since(began) > startWithin {
			return nil, errors.Join(errors.New("the emulator does not answer"), f.Stop())
		}
	}
}

// Invoke hands an event to the function and returns its answer.
func (f *Function) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url, bytes.NewReader(event))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return io.ReadAll(resp.Body)
}

// Stop ends emulator and function.
func (f *Function) Stop() error {
	_ = syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL) // the group is ours alone
	<-f.gone
	return nil
}

// Log is what the function wrote, once it has ended.
func (f *Function) Log() string { return f.log.String() }

func free(n int) (addrs []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}
