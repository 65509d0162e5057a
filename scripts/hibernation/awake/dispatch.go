package awake

import "go/types"

// dispatch knows which methods a call of an interface's method can reach: those
// of every type met so far that implements the interface.
type dispatch struct {
	types   []*liveType
	known   map[types.Type]*liveType
	methods []*types.Func // of interfaces, met so far
	// reflects says that reflection by method was reached.
	reflects bool
	// reach is called for each method that becomes reachable, with the
	// interface's method by which; nil by reflection.
	reach func(method, by *types.Func)
	// port says of an interface's method that it is a port's.
	port func(*types.Func) bool
}

// liveType is a type that was mentioned. A pointer to it has every method the
// type has, so that is what is looked at.
type liveType struct {
	pointer types.Type
	methods map[string]*types.Func
	generic bool
	// portsOnly is a type that only the wiring knows: it is met through the
	// main module's own interfaces, not as one of a thousand io.Writers.
	portsOnly bool
}

// meet adds a type, or lifts the bound on one that was met as portsOnly.
func (d *dispatch) meet(t types.Type, portsOnly bool) {
	lt := d.known[t]
	switch {
	case lt == nil:
		if lt = newLiveType(t); lt == nil {
			return
		}
		if d.known == nil {
			d.known = make(map[types.Type]*liveType)
		}
		d.known[t] = lt
		d.types = append(d.types, lt)
	case lt.portsOnly == portsOnly || !lt.portsOnly:
		return
	}
	lt.portsOnly = portsOnly
	for _, m := range d.methods {
		d.match(lt, m)
	}
	if d.reflects {
		d.expose(lt)
	}
}

// newLiveType is nil for what has no methods of its own.
func newLiveType(t types.Type) *liveType {
	if types.IsInterface(t) {
		return nil
	}
	pointer := types.NewPointer(t)
	set := types.NewMethodSet(pointer)
	if set.Len() == 0 {
		return nil
	}
	lt := &liveType{pointer: pointer, methods: make(map[string]*types.Func, set.Len())}
	for m := range set.Methods() {
		f := m.Obj().(*types.Func).Origin()
		lt.methods[f.Id()] = f
	}
	if named, ok := t.(*types.Named); ok {
		lt.generic = named.TypeParams().Len() > 0
	}
	return lt
}

// call adds a method of an interface.
func (d *dispatch) call(m *types.Func) {
	d.methods = append(d.methods, m)
	for i := 0; i < len(d.types); i++ {
		d.match(d.types[i], m)
	}
}

// reflect notes that methods are called by name.
func (d *dispatch) reflect() {
	d.reflects = true
	for i := 0; i < len(d.types); i++ {
		d.expose(d.types[i])
	}
}

func (d *dispatch) expose(lt *liveType) {
	for _, f := range lt.methods {
		if f.Exported() && !lt.portsOnly {
			d.reach(f, nil)
		}
	}
}

func (d *dispatch) match(lt *liveType, m *types.Func) {
	method := lt.methods[m.Id()]
	if method == nil || lt.portsOnly && !d.port(m) || !implements(lt, m.Signature().Recv().Type()) {
		return
	}
	d.reach(method, m)
}

// implements errs on the side of yes: of what is generic, or a constraint, only
// the names of the methods are compared.
func implements(lt *liveType, t types.Type) bool {
	iface, ok := t.Underlying().(*types.Interface)
	if !ok {
		return false
	}
	named, _ := t.(*types.Named)
	if !lt.generic && iface.IsMethodSet() && (named == nil || named.TypeParams().Len() == 0) {
		return types.Implements(lt.pointer, iface)
	}
	for m := range iface.Methods() {
		if lt.methods[m.Id()] == nil {
			return false
		}
	}
	return true
}
