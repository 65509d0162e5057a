package pkg_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "pocbakery"

// file is one file of the tree, by its path from the project's root. Its
// syntax is nil where it is not Go.
type file struct {
	path   string
	source []byte
	syntax *ast.File
}

func (f file) dir() string  { return path.Dir(f.path) }
func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// pkg is the file's directory under pkg, empty for one outside of it.
func (f file) pkg() string {
	dir, ok := strings.CutPrefix(f.dir(), "pkg/")
	if !ok {
		return ""
	}
	return dir
}

func parse(t *testing.T, name, source string) file {
	t.Helper()
	f := file{path: name, source: []byte(source)}
	if strings.HasSuffix(name, ".go") {
		syntax, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		f.syntax = syntax
	}
	return f
}

// readTree parses every Go file of the project, but for testdata.
func readTree(t *testing.T) []file {
	t.Helper()
	var files []file
	walk(t, func(name string, source []byte) {
		if strings.HasSuffix(name, ".go") && !strings.Contains(name, "testdata/") {
			files = append(files, parse(t, name, string(source)))
		}
	})
	if len(files) == 0 {
		t.Fatal("no Go file found")
	}
	return files
}

// readTexts reads every text file of the project.
func readTexts(t *testing.T) []file {
	t.Helper()
	var files []file
	walk(t, func(name string, source []byte) {
		if utf8.Valid(source) && !bytes.ContainsRune(source, 0) {
			files = append(files, file{path: name, source: source})
		}
	})
	return files
}

// walk visits the project's files, leaving out what is built or kept there.
func walk(t *testing.T, visit func(name string, source []byte)) {
	t.Helper()
	skip := []string{".git", ".cache", ".data", "bin", "node_modules"}
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skip, name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		source, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		visit(name, source)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(files []file) (complaints []string) {
	for _, f := range files {
		if f.pkg() == "" || f.isTest() {
			continue
		}
		r, ok := ruleOf(f.pkg())
		if !ok {
			complaints = append(complaints, fmt.Sprintf("%s: no rule in pkg/architecture_test.go says what package %s may import", f.path, f.pkg()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			if why := r.forbids(name); why != "" {
				complaints = append(complaints, fmt.Sprintf("%s imports %s: %s", f.path, name, why))
			}
		}
	}
	return complaints
}

func ruleOf(pkg string) (rule, bool) {
	for _, r := range rules {
		if matches(r.pkg, pkg) {
			return r, true
		}
	}
	return rule{}, false
}

// forbids says why the package may not import this one, or nothing.
func (r rule) forbids(name string) string {
	if ours, ok := strings.CutPrefix(name, module+"/"); ok {
		sub, ok := strings.CutPrefix(ours, "pkg/")
		if !ok {
			return "only pkg is imported by pkg"
		}
		if matchesAny(r.ours, sub) {
			return ""
		}
		return fmt.Sprintf("%s may know %v of ours", r.pkg, r.ours)
	}
	if first, _, _ := strings.Cut(name, "/"); strings.Contains(first, ".") {
		for _, prefix := range slices.Concat(anywhere, r.theirs) {
			if name == prefix || strings.HasPrefix(name, strings.TrimSuffix(prefix, "/")+"/") {
				return ""
			}
		}
		return fmt.Sprintf("%s may know %v of other people's", r.pkg, r.theirs)
	}
	if r.core && matchesAny(outside, name) && !slices.Contains(pure, name) {
		return "the core decides from what it is handed"
	}
	return ""
}

// matches reads "a/*" as everything below a, and "*" as everything.
func matches(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

func checkClocks(files []file) (complaints []string) {
	for _, f := range files {
		r, _ := ruleOf(f.pkg())
		if f.pkg() == "" || f.isTest() || r.clock {
			continue
		}
		add := func(format string, args ...any) {
			complaints = append(complaints, f.path+": "+fmt.Sprintf(format, args...))
		}
		if f.importedAs("time") == "." || f.importedAs("math/rand/v2") == "." {
			add("a dot import hides the clock or the dice")
		}
		for _, name := range f.uses("time") {
			if slices.Contains(clockCalls, name) {
				add("time.%s: now is handed in, and nothing waits", name)
			}
		}
		for _, name := range f.uses("math/rand/v2") {
			if r.core && !slices.Contains([]string{"New", "NewPCG", "NewChaCha8", "Rand", "PCG", "ChaCha8", "Source"}, name) {
				add("rand.%s: the core draws from a seed it is handed", name)
			}
		}
	}
	return complaints
}

// importedAs is the name under which the file imports a package, or nothing.
func (f file) importedAs(name string) string {
	for _, spec := range f.syntax.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == name {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path.Base(strings.TrimSuffix(name, "/v2"))
		}
	}
	return ""
}

// uses are the names the file selects from an imported package.
func (f file) uses(name string) (names []string) {
	as := f.importedAs(name)
	if as == "" {
		return nil
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == as {
				names = append(names, sel.Sel.Name)
			}
		}
		return true
	})
	return names
}

func checkDocs(files []file) (complaints []string) {
	documented := map[string]bool{}
	for _, f := range files {
		if f.isTest() && f.dir() != "pkg" {
			continue
		}
		documented[f.dir()] = documented[f.dir()] || strings.TrimSpace(f.syntax.Doc.Text()) != ""
	}
	for dir, ok := range documented {
		if !ok {
			complaints = append(complaints, dir+" has no package doc")
		}
	}
	slices.Sort(complaints)
	return complaints
}

func checkFiles(files []file) (complaints []string) {
	for _, f := range files {
		if n := bytes.Count(f.source, []byte("\n")); n > maxLines && !f.isTest() {
			complaints = append(complaints, fmt.Sprintf("%s has %d lines, more than %d: which two concepts are in it?", f.path, n, maxLines))
		}
		for part := range strings.SplitSeq(f.path, "/") {
			name := strings.TrimSuffix(strings.TrimSuffix(part, ".go"), "_test")
			if slices.Contains(vague, name) {
				complaints = append(complaints, fmt.Sprintf("%s: %q says nothing of what is inside", f.path, name))
			}
		}
	}
	return complaints
}

// machine finds absolute paths that exist on one machine only. The pieces are
// joined so that this file does not find itself.
var machine = regexp.MustCompile(`(^|[\s"'=(:` + "`" + `])/(` + strings.Join([]string{"work", "root", "home", "Users"}, "|") + `)/[\w.]`)

func checkText(files []file) (complaints []string) {
	for _, f := range files {
		for i, line := range bytes.Split(f.source, []byte("\n")) {
			if machine.Match(line) {
				complaints = append(complaints, fmt.Sprintf("%s:%d names a path of one machine: %s", f.path, i+1, bytes.TrimSpace(line)))
			}
		}
	}
	return complaints
}
