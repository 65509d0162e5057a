package awake

import (
	"go/types"
	"regexp"
	"testing"
)

// A name with a mistake in it would let everything pass that it is there for.
func TestEveryNameInTheTablesIsThatOfSomething(t *testing.T) {
	p := load(t)
	for _, table := range []map[string]string{denied, systemCalls, holders} {
		for name := range table {
			if name != "golang.org/x/sys/unix.*" && !p.names(name) {
				t.Errorf("%s is nothing", name)
			}
		}
	}
	for _, wrong := range []string{"time.Slep", "(*net/http.Client).Fetch", "tiem.Sleep", "(*net.Caller).*"} {
		if p.names(wrong) {
			t.Errorf("%s is said to be something", wrong)
		}
	}
}

var (
	methodName   = regexp.MustCompile(`^\(\*(.*)\.(\w+)\)\.(\w+|\*)$`)
	functionName = regexp.MustCompile(`^(.*)\.(\w+)$`)
)

// names says whether a name of the tables is that of a loaded function, method
// or type.
func (p *Program) names(name string) bool {
	lookup := func(path, name string) types.Object {
		if pkg := p.packages[path]; pkg != nil {
			return pkg.Types.Scope().Lookup(name)
		}
		return nil
	}
	if m := methodName.FindStringSubmatch(name); m != nil {
		recv := lookup(m[1], m[2])
		if recv == nil || m[3] == "*" {
			return recv != nil
		}
		method, _, _ := types.LookupFieldOrMethod(recv.Type(), true, recv.Pkg(), m[3])
		return method != nil
	}
	m := functionName.FindStringSubmatch(name)
	return m != nil && lookup(m[1], m[2]) != nil
}
