package awake

import (
	"go/ast"
	"go/token"
	"go/types"
)

// isJoined says of a call that it starts a goroutine by Go of a WaitGroup that
// the same function declares and waits for, in the same block and on every way
// there but a panic. It knows no other form, so any other is not joined.
func (r *reader) isJoined(call *ast.CallExpr) bool {
	group := r.groupOf(call, "Go")
	if group == nil || r.body == nil {
		return false
	}
	joined := false
	ast.Inspect(r.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BlockStmt:
			joined = joined || r.joins(n.List, group, call)
		}
		return true
	})
	return joined
}

// joins says of a block that it declares the group, contains the call, and
// then waits for the group.
func (r *reader) joins(block []ast.Stmt, group *types.Var, call *ast.CallExpr) bool {
	declared, waited, started := false, false, false
	for _, stmt := range block {
		if !declared {
			declared = r.declares(stmt, group)
			continue
		}
		if deferred, ok := stmt.(*ast.DeferStmt); ok && r.groupOf(deferred.Call, "Wait") == group {
			waited = true
		}
		if within := stmt.Pos() <= call.Pos() && call.End() <= stmt.End(); within {
			started = true
		}
		if !started {
			continue
		}
		if expr, ok := stmt.(*ast.ExprStmt); ok {
			if wait, ok := expr.X.(*ast.CallExpr); ok && r.groupOf(wait, "Wait") == group {
				return true
			}
		}
		if !waited && leaves(stmt) {
			return false
		}
	}
	return started && waited
}

// groupOf is the WaitGroup variable whose method is called, of a call like
// group.Go(f).
func (r *reader) groupOf(call *ast.CallExpr, method string) *types.Var {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != method {
		return nil
	}
	if f, ok := r.info.Uses[sel.Sel].(*types.Func); !ok || symbol(f) != "(*sync.WaitGroup)."+method {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return nil
	}
	group, _ := r.info.Uses[id].(*types.Var)
	return group
}

func (r *reader) declares(stmt ast.Stmt, v *types.Var) bool {
	d, ok := stmt.(*ast.DeclStmt)
	if !ok {
		return false
	}
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && r.info.Defs[id] == v
		return true
	})
	return found
}

// leaves says of a statement that control may go from it to somewhere else
// than what follows it: a return, a jump to a label, a break or continue of a
// loop around it.
func leaves(stmt ast.Stmt) bool {
	out := false
	var visit func(n ast.Node, loop, breakable bool)
	visit = func(root ast.Node, loop, breakable bool) {
		ast.Inspect(root, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt:
				out = true
			case *ast.ForStmt:
				visit(n.Body, true, true)
				return false
			case *ast.RangeStmt:
				visit(n.Body, true, true)
				return false
			case *ast.SwitchStmt:
				visit(n.Body, loop, true)
				return false
			case *ast.TypeSwitchStmt:
				visit(n.Body, loop, true)
				return false
			case *ast.SelectStmt:
				visit(n.Body, loop, true)
				return false
			case *ast.BranchStmt:
				inside := n.Label == nil && (n.Tok == token.CONTINUE && loop ||
					n.Tok == token.BREAK && breakable || n.Tok == token.FALLTHROUGH)
				out = out || !inside
			}
			return true
		})
	}
	visit(stmt, false, false)
	return out
}
