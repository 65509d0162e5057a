package functions_test

import (
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const sdkServices = "github.com/aws/aws-sdk-go-v2/service/"

// adapter is ours, whose methods tell what is queried.
const adapter = "pocbakery/pkg/store/dynamo"

// askedOfAWS are the operations of AWS that each main can come to ask for, as
// "service.Operation", and the methods of our adapter on the way, as
// "dynamo.Method": every call that can be reached from main, by the types that
// can flow to where it is made. What only reflection calls is not seen; none of
// it asks AWS.
func askedOfAWS(t *testing.T, mains map[string]string) map[string][]string {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Dir: "..", Fset: token.NewFileSet(),
		Env:        append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=lambda.norpc"},
	}, slices.Collect(maps.Values(mains))...)
	if err != nil {
		t.Fatal(err)
	}
	if packages.PrintErrors(loaded) > 0 {
		t.Fatal("it does not build")
	}
	prog, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	prog.Build()
	anything := cha.CallGraph(prog)
	all := map[string][]string{}
	for name, path := range mains {
		pkg := prog.ImportedPackage(path)
		entries := []*ssa.Function{pkg.Func("main"), pkg.Func("init")}
		// Who can call whom is found in rounds, each over no more than what the
		// one before found to be reachable, until nothing falls away.
		graph := anything
		for before := -1; ; {
			now := reached(graph, entries)
			if len(now) == before {
				break
			}
			before, graph = len(now), vta.CallGraph(now, graph)
		}
		asked := map[string]bool{}
		for f := range reached(graph, entries) {
			if op, ok := operation(f); ok {
				asked[op] = true
			}
		}
		all[name] = slices.Sorted(maps.Keys(asked))
	}
	return all
}

// reached is everything that can be called from some functions.
func reached(g *callgraph.Graph, from []*ssa.Function) map[*ssa.Function]bool {
	seen := map[*ssa.Function]bool{}
	for todo := slices.Clone(from); len(todo) > 0; {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if f == nil || seen[f] {
			continue
		}
		seen[f] = true
		if n := g.Nodes[f]; n != nil {
			for _, out := range n.Out {
				todo = append(todo, out.Callee.Func)
			}
		}
		todo = append(todo, f.AnonFuncs...)
	}
	return seen
}

// operation is the operation of AWS that a function asks for: an exported method
// of a service's client that takes an input of its name.
func operation(f *ssa.Function) (string, bool) {
	if f.Pkg == nil || f.Signature.Recv() == nil || !f.Object().Exported() {
		return "", false
	}
	if f.Pkg.Pkg.Path() == adapter {
		op := "dynamo." + f.Name()
		_, queries := queries[op]
		return op, queries
	}
	service, ok := strings.CutPrefix(f.Pkg.Pkg.Path(), sdkServices)
	if !ok || !strings.HasSuffix(f.Signature.Recv().Type().String(), ".Client") || f.Signature.Params().Len() < 2 {
		return "", false
	}
	if !strings.HasSuffix(f.Signature.Params().At(1).Type().String(), "."+f.Name()+"Input") {
		return "", false
	}
	return service + "." + f.Name(), true
}
