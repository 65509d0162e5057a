package ministack_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"pocbakery/scripts/ministack"
	"pocbakery/scripts/ministack/stacktest"
)

// Another process that a test needs is this program again, told by the
// environment what to do.
func TestMain(m *testing.M) {
	if os.Getenv("MINISTACK_TEST_ROLE") == "holder" {
		s, err := ministack.Start(context.Background(), 0)
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(s.URL)
		_ = os.Stdout.Close()
		select {}
	}
	os.Exit(stacktest.Main(m))
}

func answers(url string) bool {
	a, err := http.Get(url + "/_ministack/health")
	if err != nil {
		return false
	}
	return a.Body.Close() == nil && a.StatusCode == http.StatusOK
}

func TestAServerAnswersUntilItIsStopped(t *testing.T) {
	stacktest.URL(t) // or skip
	s, err := ministack.Start(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if !answers(s.URL) {
		t.Error("it does not answer")
	}
	if err := s.Stop(); err != nil || answers(s.URL) {
		t.Errorf("after it was stopped: %v, %s", err, s.Log())
	}
}

func TestAServerEndsWithWhoStartedItHoweverThatEnds(t *testing.T) {
	stacktest.URL(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	holder := exec.Command(exe)
	holder.Env = append(os.Environ(), "MINISTACK_TEST_ROLE=holder")
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	url := make([]byte, 64)
	n, _ := out.Read(url)
	if !answers(string(url[:n])) {
		t.Fatalf("%q does not answer", url[:n])
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	for deadline := time.Now().Add(30 * time.Second); answers(string(url[:n])); {
		if time.Now().After(deadline) {
			t.Fatal("it answers still")
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestAPortInUseIsSaid(t *testing.T) {
	stacktest.URL(t)
	s, err := ministack.Start(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	port := 0
	for _, c := range s.URL[len("http://127.0.0.1:"):] {
		port = port*10 + int(c-'0')
	}
	if second, err := ministack.Start(t.Context(), port); err == nil {
		_ = second.Stop()
		t.Fatal("two servers have one port")
	}
}

func TestWithoutItsToolsItSaysWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := ministack.Start(t.Context(), 0); !errors.Is(err, ministack.ErrNoVenv) {
		t.Fatal(err)
	}
}
