package functions_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	maxBinary = 15 << 20 // bytes: what a start has to load
	maxMain   = 30       // lines
)

// over are the functions that are over it, with what they may have instead. Of
// api the linker keeps every method of every type that an interface may hold:
// html/template calls methods by name.
var over = map[string]int64{"api": 16 << 20}

func TestAFunctionIsSmall(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) < 3 {
		t.Fatalf("%v, %v", mains, err)
	}
	for _, main := range mains {
		source, err := os.ReadFile(main)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(source, []byte("\n")); n > maxMain {
			t.Errorf("%s has %d lines", main, n)
		}
		// As `make build-...Function` builds it, for this machine.
		binary := filepath.Join(t.TempDir(), "bootstrap")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", binary, "./"+filepath.Dir(main))
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", main, err, out)
		}
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", filepath.Dir(main), float64(info.Size())/1e6)
		most, excused := over[filepath.Dir(main)]
		if !excused {
			most = maxBinary
		}
		if info.Size() > most {
			t.Errorf("%s has %d bytes, more than %d", filepath.Dir(main), info.Size(), most)
		}
	}
}
