package awake

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// decl is one declaration of a package: a function, a method, a type, or the
// variables of one specification.
type decl struct {
	obj    types.Object
	pkg    *packages.Package
	syntax ast.Node
	// link is what a linkname makes of a function without a body.
	link string
	// starts says that it runs when the program starts: an init function or
	// the initializer of a variable.
	starts bool
	// seen is what the syntax mentions, read once.
	seen *mentions
}

// index lists a package's declarations.
func (p *Program) index(pkg *packages.Package) {
	for _, file := range pkg.Syntax {
		links := linknames(file)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				p.add(pkg, d.Name, d, d.Recv == nil && d.Name.Name == "init", links)
			case *ast.GenDecl:
				p.indexSpecs(pkg, d)
			}
		}
	}
}

func (p *Program) indexSpecs(pkg *packages.Package, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			p.add(pkg, spec.Name, spec, false, nil)
		case *ast.ValueSpec:
			if d.Tok != token.VAR {
				continue
			}
			for i, name := range spec.Names {
				// Several variables with a value each are a declaration each;
				// with one value for all they share it, and the first has it.
				var syntax ast.Node = spec
				if len(spec.Values) == len(spec.Names) && len(spec.Names) > 1 {
					syntax = &ast.ValueSpec{Names: spec.Names[i : i+1], Type: spec.Type, Values: spec.Values[i : i+1]}
				}
				p.add(pkg, name, syntax, len(spec.Values) > 0, nil)
			}
		}
	}
}

func (p *Program) add(pkg *packages.Package, name *ast.Ident, syntax ast.Node, starts bool, links map[string]string) {
	obj := pkg.TypesInfo.Defs[name]
	if obj == nil {
		return
	}
	d := &decl{obj: obj, pkg: pkg, syntax: syntax, starts: starts, link: links[name.Name]}
	p.decls[obj] = d
	p.byPkg[pkg.PkgPath] = append(p.byPkg[pkg.PkgPath], d)
}

// linknames are the file's functions that are those of another package.
func linknames(file *ast.File) map[string]string {
	var out map[string]string
	for _, group := range file.Comments {
		for _, c := range group.List {
			if local, target, ok := linkname(c.Text); ok {
				if out == nil {
					out = make(map[string]string)
				}
				out[local] = target
			}
		}
	}
	return out
}

// linkname reads a comment that links a function to another package's. The
// other form, of one name, hands a function of its own out and adds nothing.
func linkname(comment string) (local, target string, ok bool) {
	rest, ok := strings.CutPrefix(comment, "//go:linkname ")
	if !ok {
		return "", "", false
	}
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", "", false
	}
	return fields[0], fields[1], true
}

// linked is the object that a linkname names, if its package is loaded.
func (p *Program) linked(target string) types.Object {
	// A path's dots are before its last slash, or it has none.
	slash := strings.LastIndexByte(target, '/')
	dot := strings.IndexByte(target[slash+1:], '.')
	if dot < 0 {
		return nil
	}
	dot += slash + 1
	pkg := p.packages[target[:dot]]
	if pkg == nil || pkg.Types == nil {
		return nil
	}
	return pkg.Types.Scope().Lookup(target[dot+1:])
}
