package awake

import (
	"go/ast"
	"go/token"
	"go/types"
)

// mentions is what one declaration's syntax says, nested functions included.
type mentions struct {
	refs []ref
	// sites are what is found by the syntax alone.
	sites []site
	// types are what is declared or written inside and may implement an
	// interface: local types, and unnamed structs that embed.
	types []types.Type
}

// ref is a mention of something declared outside of functions.
type ref struct {
	obj types.Object
	pos token.Pos
}

// site is a place where something is found, and what.
type site struct {
	what string
	pos  token.Pos
	does string
}

// What is found by syntax, as exceptions name it.
const (
	WhatGo       = "go"
	WhatJoined   = "joined" // a goroutine that is waited for, see join.go
	WhatLoop     = "loop"
	WhatUnread   = "unread-file"
	WhatLinkname = "linkname"
	// WhatInside excuses all that is in a function of others, and all that only
	// it reaches: the walk does not enter it.
	WhatInside = "inside"
)

// read reads a declaration, once.
func (p *Program) read(d *decl) *mentions {
	if d.seen != nil {
		return d.seen
	}
	r := reader{info: d.pkg.TypesInfo, out: &mentions{}, waits: make(map[ast.Node]bool), joined: make(map[*ast.Ident]bool)}
	if f, ok := d.syntax.(*ast.FuncDecl); ok {
		r.body = f.Body
	}
	r.walk(d.syntax, nil)
	d.seen = r.out
	if f, ok := d.syntax.(*ast.FuncDecl); ok && f.Body == nil && d.link != "" {
		if obj := p.linked(d.link); obj != nil {
			d.seen.refs = append(d.seen.refs, ref{obj, f.Pos()})
		}
	}
	return d.seen
}

type reader struct {
	info  *types.Info
	out   *mentions
	waits map[ast.Node]bool // loops already found
	// body is that of the innermost function; nil in an initializer.
	body   *ast.BlockStmt
	joined map[*ast.Ident]bool // the Go of goroutines found to be joined
}

// walk reads a node inside of a loop, or of none.
func (r *reader) walk(root, loop ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == root {
			// The loop or function that this walk is about.
			return true
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			// Its statements are its caller's, not this loop's.
			outer := r.body
			r.body = n.Body
			r.walk(n, nil)
			r.body = outer
			return false
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && r.isJoined(n) {
				r.joined[sel.Sel] = true
				r.found(n, WhatJoined, "starts a goroutine and waits for it")
			}
		case *ast.ForStmt, *ast.RangeStmt:
			if over, ok := n.(*ast.RangeStmt); ok && r.isChannel(over.X) {
				r.found(n, WhatLoop, "waits for a channel until it is closed")
			}
			r.walk(n, n)
			return false
		case *ast.SelectStmt:
			if loop != nil {
				r.found(loop, WhatLoop, "selects again and again")
			} else if len(n.Body.List) == 0 {
				r.found(n, WhatLoop, "never returns")
			}
		case *ast.UnaryExpr:
			// A loop that counts joins as many as it started.
			if f, ok := loop.(*ast.ForStmt); ok && n.Op == token.ARROW && f.Post == nil {
				r.found(loop, WhatLoop, "receives without a bound")
			}
		case *ast.GoStmt:
			r.found(n, WhatGo, "starts a goroutine")
		case *ast.StructType:
			if t, ok := r.info.TypeOf(n).(*types.Struct); ok && embeds(t) {
				r.out.types = append(r.out.types, t)
			}
		case *ast.Ident:
			r.mention(n)
		}
		return true
	})
}

func (r *reader) mention(id *ast.Ident) {
	if t, ok := r.info.Defs[id].(*types.TypeName); ok && !packageLevel(t) {
		r.out.types = append(r.out.types, t.Type())
		return
	}
	obj := r.info.Uses[id]
	if obj == nil || r.joined[id] {
		return
	}
	obj = origin(obj)
	switch obj := obj.(type) {
	case *types.Func:
		r.out.refs = append(r.out.refs, ref{obj, id.Pos()})
	case *types.Var:
		if packageLevel(obj) {
			r.out.refs = append(r.out.refs, ref{obj, id.Pos()})
		}
	case *types.TypeName:
		if packageLevel(obj) {
			r.out.refs = append(r.out.refs, ref{obj, id.Pos()})
		}
		// An alias, of whatever length, is also what it stands for.
		if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && obj.IsAlias() {
			r.out.refs = append(r.out.refs, ref{named.Obj(), id.Pos()})
		}
	}
}

// found notes a site, once for each statement.
func (r *reader) found(n ast.Node, what, does string) {
	if r.waits[n] {
		return
	}
	r.waits[n] = true
	r.out.sites = append(r.out.sites, site{what, n.Pos(), does})
}

func (r *reader) isChannel(x ast.Expr) bool {
	t := r.info.TypeOf(x)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

func embeds(t *types.Struct) bool {
	for f := range t.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}
