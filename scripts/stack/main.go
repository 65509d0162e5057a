// Command stack deploys the bakery to a local AWS and stays until it is
// stopped: the real functions behind the real template, without Docker and
// without an account. It runs as `make stack`.
//
// STACK_PORT (free by default) is where the local AWS listens, on 127.0.0.1. When
// the bakery answers, a line BASE_URL=... says where.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"pocbakery/scripts/internal/stack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "stack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	port, err := strconv.ParseUint(cmp.Or(os.Getenv("STACK_PORT"), "0"), 10, 16)
	if err != nil {
		return fmt.Errorf("STACK_PORT is %q, and a port is a number from 0 to 65535", os.Getenv("STACK_PORT"))
	}
	fmt.Fprintln(os.Stderr, "building the functions and deploying them; a minute or two")
	s, err := stack.Up(ctx, int(port))
	if err != nil {
		return err
	}
	fmt.Println("BASE_URL=" + s.URL)
	fmt.Fprintln(os.Stderr, "AWS is at "+s.AWS()+". Stop with Ctrl-C.")
	select {
	case <-ctx.Done():
		return s.Down()
	case <-s.Gone():
		return errors.Join(errors.New("the local AWS ended:\n"+s.Log()), s.Down())
	}
}
