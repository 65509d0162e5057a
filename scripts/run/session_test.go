package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The README's session is what scripts/session prints: its command lines are
// played against a shop, and each must be answered as it is there.
func TestTheReadmesSessionCanBeTypedAsItStands(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s: %v", tool, err)
		}
	}
	if out, err := exec.Command("curl", "--help", "all").Output(); err != nil || !strings.Contains(string(out), "--json") {
		t.Skip("needs a curl that has --json, 7.82 or later")
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, session, _ := strings.Cut(string(readme), "<!-- session: begin -->")
	session, _, ended := strings.Cut(session, "<!-- session: end -->")
	if !ended {
		t.Fatal("the README has no session")
	}
	dir := t.TempDir()
	// The script asks the real date for its day, and sandboxes end at 10:00.
	setWall(t, dir, func(now time.Time) time.Time {
		if ahead := now.Add(5 * time.Minute).UTC(); ahead.Hour() == 10 && ahead.Minute() < 5 {
			return ahead
		}
		return now
	})
	p := start(t, dir)
	play := exec.Command("bash", "../session", p.shop)
	var said, failed strings.Builder
	play.Stdout, play.Stderr = &said, &failed
	if err := play.Run(); err != nil {
		t.Fatalf("scripts/session: %v: %s\n%s", err, &failed, &said)
	}
	played := strings.ReplaceAll(said.String(), "$ SHOP="+p.shop+"\n", "$ SHOP=http://localhost:8080\n")
	got, want := commands(session), commands(played)
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("the README lacks %q", want[i])
		case i >= len(want):
			t.Errorf("the script lacks %q", got[i])
		case got[i] != want[i]:
			t.Errorf("the README has\n%s\nand the script\n%s", got[i], want[i])
		default:
			continue
		}
		t.Fatal("run scripts/session --readme against a shop of make run")
	}
}

// commands are the command lines of a session.
func commands(session string) (lines []string) {
	for line := range strings.Lines(session) {
		if strings.HasPrefix(line, "$ ") {
			lines = append(lines, line)
		}
	}
	return lines
}
