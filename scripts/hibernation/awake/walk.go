package awake

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// walk is one walk from the hub's code.
type walk struct {
	*Program
	rules Rules

	nodes map[types.Object]*node
	queue []*node
	types dispatch
	// reflector is the function by which methods are called by name, if one
	// is reached.
	reflector *node
	// closed are the symbols that an exception closes, with what they are
	// once it is reached.
	closed map[string]types.Object
	// pulled are the packages to check, each with the chain of imports to it.
	pulled map[*packages.Package][]string

	findings []Finding
	report   Report
}

// node is a declaration that is reached, and from where.
type node struct {
	obj  types.Object
	from *node
	via  []string  // where from is nil: the packages by which
	pos  token.Pos // of the mention
}

// Check walks from the hub's code and reports.
func (p *Program) Check(rules Rules) Report {
	w := p.newWalk(rules)
	w.staleRules()
	w.meetWiring()

	// The hub's own code first, so that chains begin there; then the rest of
	// what is checked whole; last what runs when the program starts.
	closure := w.pull(rules.Hub)
	for _, pkg := range closure {
		if slices.Contains(rules.Hub, pkg.PkgPath) {
			w.whole(pkg)
		}
	}
	w.drain()
	for _, pkg := range closure {
		if ours(pkg) {
			w.whole(pkg)
		}
	}
	w.drain()
	for _, pkg := range closure {
		for _, d := range p.byPkg[pkg.PkgPath] {
			if d.starts {
				w.reach(d.obj, nil, token.NoPos, append(slices.Clip(w.pulled[pkg]), "(at start)"))
			}
		}
	}
	w.drain()
	for _, pkg := range closure {
		if ours(pkg) {
			w.report.Ours++
			w.unread(pkg)
		} else {
			w.report.Others++
		}
	}
	w.report.Declarations = len(w.nodes)
	w.excuse()
	return w.report
}

func (p *Program) newWalk(rules Rules) *walk {
	w := &walk{
		Program: p, rules: rules,
		nodes:  make(map[types.Object]*node),
		closed: make(map[string]types.Object),
		pulled: make(map[*packages.Package][]string),
	}
	w.types.reach = w.dispatched
	w.types.port = func(m *types.Func) bool { return p.isOurs(m.Pkg()) }
	for _, e := range rules.Exceptions {
		if e.What == WhatInside {
			w.closed[e.In] = nil
		}
	}
	return w
}

// pull lists what the packages import, nearest first, themselves included. It
// does not enter adapters and the runtime.
func (w *walk) pull(paths []string) []*packages.Package {
	var out []*packages.Package
	for _, path := range paths {
		if pkg := w.packages[path]; pkg != nil && w.pulled[pkg] == nil {
			w.pulled[pkg] = []string{path}
			out = append(out, pkg)
		}
	}
	for i := 0; i < len(out); i++ {
		for _, imported := range imports(out[i]) {
			if w.pulled[imported] == nil && !w.outside(imported.PkgPath) {
				w.pulled[imported] = append(slices.Clip(w.pulled[out[i]]), imported.PkgPath)
				out = append(out, imported)
			}
		}
	}
	return out
}

// meetWiring meets the types that the wiring may put behind a port.
func (w *walk) meetWiring() {
	seen := make(map[*packages.Package]bool)
	var visit func(pkg *packages.Package)
	visit = func(pkg *packages.Package) {
		if seen[pkg] || !ours(pkg) {
			return
		}
		seen[pkg] = true
		for _, d := range w.byPkg[pkg.PkgPath] {
			if t, ok := d.obj.(*types.TypeName); ok && !w.outside(pkg.PkgPath) {
				w.types.meet(t.Type(), true)
			}
		}
		for _, imported := range imports(pkg) {
			visit(imported)
		}
	}
	for _, path := range w.rules.Wiring {
		if pkg := w.packages[path]; pkg != nil {
			visit(pkg)
		}
	}
}

// whole reaches every declaration of a package.
func (w *walk) whole(pkg *packages.Package) {
	for _, d := range w.byPkg[pkg.PkgPath] {
		w.reach(d.obj, nil, token.NoPos, w.pulled[pkg])
	}
}

func (w *walk) reach(obj types.Object, from *node, pos token.Pos, via []string) {
	if w.nodes[obj] != nil || obj.Pkg() != nil && w.outside(obj.Pkg().Path()) {
		return
	}
	// Only what is of others can be closed: of ours, each finding has its line.
	if name := symbol(obj); !w.isOurs(obj.Pkg()) {
		if _, ok := w.closed[name]; ok {
			w.closed[name] = obj
			return
		}
	}
	n := &node{obj: obj, from: from, pos: pos, via: via}
	w.nodes[obj] = n
	w.queue = append(w.queue, n)
}

func (w *walk) drain() {
	for len(w.queue) > 0 {
		n := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(n)
	}
}

// reflecting are the functions by which a method is called that nothing names.
var reflecting = map[string]bool{
	"(reflect.Value).Method":       true,
	"(reflect.Value).MethodByName": true,
	"(reflect.Type).Method":        true,
	"(reflect.Type).MethodByName":  true,
}

func (w *walk) visit(n *node) {
	if reflecting[symbol(n.obj)] && w.reflector == nil {
		w.reflector = n
		w.types.reflect()
	}
	if ofInterface(n.obj) {
		w.types.call(n.obj.(*types.Func))
	}
	if t, ok := n.obj.(*types.TypeName); ok {
		w.types.meet(t.Type(), false)
	}
	d := w.decls[n.obj]
	if d == nil {
		return
	}
	seen := w.read(d)
	for _, t := range seen.types {
		w.types.meet(t, false)
	}
	for _, s := range seen.sites {
		w.found(n, s)
	}
	for _, r := range seen.refs {
		w.mention(n, d.pkg, r)
	}
}

// mention follows one mention in a declaration of a package.
func (w *walk) mention(n *node, pkg *packages.Package, r ref) {
	if what := does(pkg, r.obj); what != "" {
		w.found(n, site{symbol(r.obj), r.pos, what})
		return
	}
	w.reach(r.obj, n, r.pos, nil)
}

// dispatched follows the call of an interface's method, or one by reflection,
// to a method that it can be.
func (w *walk) dispatched(method, by *types.Func) {
	n := w.reflector
	if by != nil {
		n = w.nodes[by]
	}
	// The call stands in the caller, so that is where it is found. A port of
	// the hub's own that nothing calls has none.
	if caller := w.decl(n.from); caller != nil {
		if what := does(caller.pkg, method); what != "" {
			w.found(n.from, site{symbol(method), n.pos, what})
			return
		}
	}
	w.reach(method, n, token.NoPos, nil)
}

func (w *walk) decl(n *node) *decl {
	if n == nil {
		return nil
	}
	return w.decls[n.obj]
}

func (w *walk) found(n *node, s site) {
	w.findings = append(w.findings, Finding{
		What: s.what, Does: s.does, In: symbol(n.obj), At: w.place(s.pos),
		Chain: append(n.chain(), s.what),
	})
}

func (n *node) chain() []string {
	var out []string
	for at := n; at != nil; at = at.from {
		out = append(out, symbol(at.obj))
		if at.from == nil {
			for _, path := range slices.Backward(at.via) {
				out = append(out, path)
			}
		}
	}
	slices.Reverse(out)
	return out
}
