package awake

import (
	"fmt"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Program is source with types: the packages asked for and all they import.
type Program struct {
	dir      string
	fset     *token.FileSet
	packages map[string]*packages.Package // by import path
	decls    map[types.Object]*decl
	byPkg    map[string][]*decl // in the order of the source
}

// Load reads the packages that the patterns name, as go list understands them
// in dir, with everything they import. It loads what runs in production: Linux,
// without cgo, without tests.
func Load(dir string, patterns ...string) (*Program, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	roots, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo |
			packages.NeedTypesSizes | packages.NeedModule,
		Dir:  dir,
		Env:  append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0"),
		Fset: fset,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	p := &Program{
		dir:      dir,
		fset:     fset,
		packages: make(map[string]*packages.Package),
		decls:    make(map[types.Object]*decl),
		byPkg:    make(map[string][]*decl),
	}
	var broken []string
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		p.packages[pkg.PkgPath] = pkg
		for _, e := range pkg.Errors {
			broken = append(broken, e.Error())
		}
		// The runtime is where the walk ends, and it is large.
		if !isRuntime(pkg.PkgPath) {
			p.index(pkg)
		}
	})
	if len(broken) > 0 {
		return nil, fmt.Errorf("does not compile:\n\t%s", strings.Join(broken, "\n\t"))
	}
	if len(p.packages) == 0 {
		return nil, fmt.Errorf("no package matches %s", strings.Join(patterns, " "))
	}
	return p, nil
}

// isRuntime says of a package that it is the scheduler itself, or what that
// stands on: timers and goroutines are what it is made of.
func isRuntime(path string) bool {
	return path == "runtime" || path == "unsafe" || strings.HasPrefix(path, "internal/runtime/")
}

// ours says whether a package is of the main module.
func ours(pkg *packages.Package) bool { return pkg.Module != nil && pkg.Module.Main }

func (p *Program) isOurs(t *types.Package) bool {
	if t == nil {
		return false
	}
	pkg := p.packages[t.Path()]
	return pkg != nil && ours(pkg)
}

// place is a position as a reader looks it up: a path from the project's root,
// or from the root of the module or library it is in.
func (p *Program) place(pos token.Pos) string {
	at := p.fset.Position(pos)
	return fmt.Sprintf("%s:%d", p.path(at.Filename), at.Line)
}

func (p *Program) path(file string) string {
	if rel, err := filepath.Rel(p.dir, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	file = filepath.ToSlash(file)
	for _, root := range []string{"/pkg/mod/", "/src/"} {
		if i := strings.LastIndex(file, root); i >= 0 {
			return file[i+len(root):]
		}
	}
	return file
}

// imports are the packages a package imports, in the order of their paths.
func imports(pkg *packages.Package) []*packages.Package {
	out := make([]*packages.Package, 0, len(pkg.Imports))
	for _, imported := range pkg.Imports {
		out = append(out, imported)
	}
	slices.SortFunc(out, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return out
}
