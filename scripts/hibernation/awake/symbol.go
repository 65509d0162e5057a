package awake

import (
	"go/types"
	"regexp"
)

// typeParameters are left out of a symbol: one declaration, one name.
var typeParameters = regexp.MustCompile(`\[[^]]*\]`)

// symbol is the name of a declaration in findings and exceptions, without
// spaces: net.Dial, (*net.Dialer).Dial, net/http.DefaultTransport.
func symbol(obj types.Object) string {
	if f, ok := obj.(*types.Func); ok {
		return typeParameters.ReplaceAllString(f.Origin().FullName(), "")
	}
	if obj.Pkg() == nil {
		return obj.Name()
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// family is the symbol that stands for all methods of a method's receiver:
// (*net.Dialer).* for (*net.Dialer).Dial. It is empty for what is no method.
func family(obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return ""
	}
	name := symbol(f)
	return name[:len(name)-len(f.Name())] + "*"
}

// origin is the declaration behind an instance of a generic one.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Func:
		return obj.Origin()
	case *types.Var:
		return obj.Origin()
	}
	return obj
}

// ofInterface says of a method that it is an interface's, so that who calls it
// calls that of some other type.
func ofInterface(obj types.Object) bool {
	f, ok := obj.(*types.Func)
	return ok && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type())
}

// packageLevel says of a variable or type that it is declared outside of
// functions, so that others can mention it.
func packageLevel(obj types.Object) bool {
	return obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope()
}
