// Command rie hands one event to one function and prints the answer: what
// `sam local invoke` does, without Docker. It runs as `make rie`.
//
// RIE is the emulator's binary, FUNCTION the name of a folder of functions, EVENT
// a file. The function's environment is the caller's.
package main

import (
	"context"
	"fmt"
	"os"

	"pocbakery/scripts/internal/rie"
)

func main() {
	if err := run(context.Background(), os.Getenv("RIE"), os.Getenv("FUNCTION"), os.Getenv("EVENT")); err != nil {
		fmt.Fprintln(os.Stderr, "rie:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, emulator, function, file string) error {
	event, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "rie-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bootstrap, err := rie.Build(ctx, dir, "./functions/"+function)
	if err != nil {
		return err
	}
	f, err := rie.Start(ctx, emulator, bootstrap, os.Environ())
	if err != nil {
		return err
	}
	answer, err := f.Invoke(ctx, event)
	_ = f.Stop()
	fmt.Fprint(os.Stderr, f.Log())
	fmt.Printf("%s\n", answer)
	return err
}
