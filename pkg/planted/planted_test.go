package planted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pocbakery/pkg/planted"
)

// bugs writes a file of bugs beside a source, and reads it.
func bugs(t *testing.T, text string) (found []planted.Bug, root string, err error) {
	t.Helper()
	root = t.TempDir()
	for name, content := range map[string]string{"a.go": "one\ntwo\ntwo\n", "bugs/some.txt": text} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err = planted.Bugs(filepath.Join(root, "bugs"))
	return found, root, err
}

func TestABugIsPlantedIntoACopy(t *testing.T) {
	found, root, err := bugs(t, "bug: it says three\ndies in: TestCount\nfile: a.go\n--- old\none\n--- new\nthree\n")
	if err != nil {
		t.Fatal(err)
	}
	b := found[0]
	if b.Name != "some" || b.Says != "it says three" || b.DiesIn != "TestCount" {
		t.Errorf("read as %+v", b)
	}
	overlay, err := b.Overlay(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(overlay)
	if err != nil || !strings.Contains(string(text), filepath.Join(root, "a.go")) {
		t.Errorf("the overlay is %s, %v", text, err)
	}
	changed, err := os.ReadFile(filepath.Join(filepath.Dir(overlay), "a.go"))
	if err != nil || string(changed) != "three\ntwo\ntwo\n" {
		t.Errorf("the copy is %q, %v", changed, err)
	}
	if real, _ := os.ReadFile(filepath.Join(root, "a.go")); string(real) != "one\ntwo\ntwo\n" {
		t.Errorf("the source is %q", real)
	}
}

func TestABugWhoseCodeIsNotThereOnceDoesNotApply(t *testing.T) {
	for _, old := range []string{"four", "two"} {
		found, root, err := bugs(t, "bug: b\nfile: a.go\n--- old\n"+old+"\n--- new\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := found[0].Plant(root); err == nil || !strings.Contains(err.Error(), "does not apply") {
			t.Errorf("%q: %v", old, err)
		}
	}
}

func TestAFileThatIsNoBugIsRefused(t *testing.T) {
	for _, text := range []string{"", "bug: b\n", "bug: b\nfile: a.go\nstray\n", "file: a.go\n--- old\none\n--- new\n", "bug: b\n--- old\none\n--- new\n"} {
		if _, _, err := bugs(t, text); err == nil {
			t.Errorf("%q is read as a bug", text)
		}
	}
}
