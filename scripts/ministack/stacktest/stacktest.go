// Package stacktest hands tests a local AWS: one server a test program, started
// by the first test that asks and ended by Main.
//
// Where the tools are not installed a test is skipped and says so; under
// POCB_REQUIRE_STACK=1, as in CI, it fails instead.
package stacktest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"pocbakery/scripts/ministack"
)

// Require is the variable that makes the absence of a local AWS a failure.
const Require = "POCB_REQUIRE_STACK"

var shared struct {
	once   sync.Once
	server *ministack.Server
	err    error
}

// Main runs the tests of a package and ends the server they used. It is for
// TestMain: os.Exit(stacktest.Main(m)).
func Main(m *testing.M) int {
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the local AWS:", err)
			return 1
		}
	}
	return code
}

// URL is where the local AWS answers.
func URL(t testing.TB) string {
	t.Helper()
	shared.once.Do(func() { shared.server, shared.err = ministack.Start(context.Background(), 0) })
	switch {
	case errors.Is(shared.err, ministack.ErrNoVenv) && os.Getenv(Require) == "":
		t.Skip("not run: ", shared.err)
	case shared.err != nil:
		t.Fatal(shared.err)
	}
	return shared.server.URL
}
