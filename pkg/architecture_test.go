// Package pkg_test holds the rules of the tree that no compiler checks: who
// may import whom, who may look at a clock, and what every package and file
// must be like. It reads the source as text, so nothing needs to build.
package pkg_test

import (
	"strings"
	"testing"
)

// A rule says what one package of pkg may import. Tests are free to import
// what they like; the rules are about the product.
type rule struct {
	pkg  string
	core bool // no AWS, network, process, log or clock; see outside
	// The packages of ours it may import. "store/*" is every adapter of store.
	ours []string
	// The modules of others it may import, by prefix.
	theirs []string
	// It may read the clock: it is an adapter, or puts the program together.
	clock bool
}

// The rules, lowest first. A package that is not listed fails: whoever adds
// one says here what it may know.
var rules = []rule{
	// The words for refusing, and the port to the table and to the alarm clock.
	{pkg: "refusal", core: true},
	{pkg: "store", core: true},
	{pkg: "alarm", core: true},
	// Dates, and the one place where a local time becomes an instant.
	{pkg: "localtime", core: true},

	// What one may ask for in a minute, decided from memory.
	{pkg: "limit", core: true, ours: []string{"refusal"}},

	// What decides. Only hub arms; admission makes the one one-shot of a birth,
	// and sandbox deletes what a wipe leaves.
	{pkg: "hub", core: true, ours: []string{"store", "alarm", "refusal"}},
	{pkg: "access", core: true, ours: []string{"hub", "store", "refusal"}},
	{pkg: "bakery", core: true, ours: []string{"localtime", "hub", "store", "refusal"}},
	{pkg: "sandbox", core: true, ours: []string{"hub", "store", "alarm", "refusal", "access"}},
	// A person's own hub is erased as a sandbox is.
	{pkg: "account", core: true, ours: []string{"hub", "store", "refusal", "access", "sandbox"}},
	{pkg: "admission", core: true, ours: []string{"hub", "store", "alarm", "refusal", "access", "sandbox", "limit"}},
	// Who looks on while it happens.
	{pkg: "live", core: true, ours: []string{"hub", "store", "refusal", "access"}},
	// Calendars: what there is in one, and when. Their other sides are adapters.
	{pkg: "calendar", core: true, ours: []string{"localtime"}, theirs: []string{"github.com/teambition/rrule-go"}},
	{pkg: "calendar/*", ours: []string{"calendar", "calendar/*"}, theirs: []string{"github.com/arran4/golang-ical", "golang.org/x/oauth2"}},
	// The packer knows nothing but what it is handed.
	{pkg: "planner/pack", core: true},
	{pkg: "traffic", core: true, ours: []string{"hub", "store", "refusal", "bakery"}}, // its people order like anybody
	{pkg: "planner", core: true, ours: []string{"planner/pack", "localtime", "calendar", "hub", "store", "refusal"},
		theirs: []string{"github.com/teambition/rrule-go"}}, // the day after one of a repeat

	// Adapters. They know their port and the technology they are named after.
	// How AWS is asked, for every adapter that asks it.
	{pkg: "sdk", clock: true, theirs: []string{"github.com/aws/"}},
	{pkg: "store/*", clock: true, ours: []string{"store", "store/*", "sdk"},
		theirs: []string{"go.etcd.io/bbolt", "github.com/aws/", "pgregory.net/rapid", "github.com/google/go-cmp"}},
	{pkg: "alarm/*", clock: true, ours: []string{"alarm", "alarm/*", "store", "store/bolt", "sdk"},
		theirs: []string{"go.etcd.io/bbolt", "github.com/aws/"}},

	// The human check's other side is over HTTP. Admission has the port; the
	// adapter needs nothing of it but the words for a no.
	{pkg: "human", ours: []string{"refusal"}},

	// Worlds for tests: the core over a table in memory.
	{pkg: "hub/hubtest", ours: []string{"hub", "alarm", "store", "store/mem", "store/faults"}},
	{pkg: "planted"}, // reads sources, and writes changed copies for a build
	{pkg: "explore", ours: []string{"*"}},
	{pkg: "sim", ours: []string{"*"}},

	// The doors.
	{pkg: "web", ours: []string{"limit", "localtime", "hub", "store", "refusal", "access", "admission", "sandbox", "bakery", "planner", "traffic"},
		theirs: []string{"golang.org/x/"}},
	{pkg: "api", ours: []string{"limit", "localtime", "calendar", "hub", "store", "refusal", "access", "admission", "sandbox", "bakery", "planner", "traffic", "web"},
		theirs: []string{"github.com/danielgtaylor/huma/v2", "golang.org/x/time/rate"}},

	// The server in front of the doors on Lambda: it writes problems as they do.
	{pkg: "gateway", ours: []string{"refusal", "api"}},

	// The admin port, the rule and the reaper of a local run reach the product
	// through the same doors as Lambda does, so they cannot know its services.
	{pkg: "local", clock: true, ours: []string{"limit", "local/*", "live", "hub", "store", "store/*", "alarm", "alarm/*", "refusal", "access", "sandbox"},
		theirs: []string{"github.com/go-jose/go-jose/v4", "go.etcd.io/bbolt", "github.com/coder/websocket"}},

	// The other side of calendars in a local run.
	{pkg: "local/google", clock: true},

	// Signing in talks to a provider, and makes identities and nothing else.
	{pkg: "signin", ours: []string{"access", "refusal"},
		theirs: []string{"github.com/coreos/go-oidc/v3/oidc", "golang.org/x/oauth2"}},

	// Wiring: the program, and what a function of Lambda puts it together from.
	{pkg: "lambda", clock: true, ours: []string{"*"}, theirs: []string{"github.com/aws/"}},
	{pkg: "app", clock: true, ours: []string{"*"}, theirs: []string{"github.com/aws/", "github.com/awslabs/"}},
}

// outside are the packages of the standard library that no decision may know:
// what they reach is another process, another machine, or chance.
var outside = []string{
	"net", "net/*", "os", "os/*", "log", "log/*", "io/ioutil", "syscall", "plugin", "database/*",
	"crypto/rand", "math/rand", "runtime", "runtime/*", "testing", "testing/*", "unsafe",
}

// pure are exceptions from outside: they only compute.
var pure = []string{"net/netip", "net/url", "net/textproto"}

// anywhere are modules that only compute, so that even the core may know them:
// the strict JSON that refuses duplicate and case-folded names.
var anywhere = []string{"github.com/go-json-experiment/json"}

// clockCalls are what reads or waits for the clock in package time.
var clockCalls = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// vague names say nothing of what is inside.
var vague = []string{"util", "utils", "common", "types", "models", "model", "helpers", "helper", "misc", "shared"}

const maxLines = 400

func TestEveryPackageImportsOnlyWhatItMayKnow(t *testing.T) {
	report(t, checkImports(readTree(t)))
}

func TestOnlyMainsAndAdaptersReadTheClock(t *testing.T) {
	report(t, checkClocks(readTree(t)))
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	report(t, checkDocs(readTree(t)))
}

func TestFilesAreOneConceptAndNamedAfterIt(t *testing.T) {
	report(t, checkFiles(readTree(t)))
}

func TestNothingNamesTheMachineItWasWrittenOn(t *testing.T) {
	report(t, checkText(readTexts(t)))
}

// The checks are checked: each of these trees breaks one rule, and none may pass.
func TestAPlantedViolationIsFound(t *testing.T) {
	const doc = "// Package x is here.\npackage x\n"
	for _, c := range []struct {
		name, path, source string
		check              func([]file) []string
		want               string
	}{
		{"a decision that knows HTTP", "pkg/bakery/slot.go", doc + `import "net/http"` + "\nvar _ http.Handler", checkImports, "net/http"},
		{"a decision that knows the process", "pkg/hub/run.go", doc + `import "os"`, checkImports, "os"},
		{"a decision that logs", "pkg/sandbox/wipe.go", doc + `import "log/slog"`, checkImports, "log/slog"},
		{"a decision that knows AWS", "pkg/admission/ledger.go", doc + `import "github.com/aws/aws-sdk-go-v2/config"`, checkImports, "aws-sdk-go-v2"},
		{"a decision that knows the embedded table", "pkg/bakery/slot.go", doc + `import "pocbakery/pkg/store/bolt"`, checkImports, "store/bolt"},
		{"a decision left to chance", "pkg/bakery/ids.go", doc + `import "crypto/rand"`, checkImports, "crypto/rand"},
		{"a lower package that knows a higher", "pkg/hub/run.go", doc + `import "pocbakery/pkg/bakery"`, checkImports, "bakery"},
		{"the local run knowing the bakery", "pkg/local/admin.go", doc + `import "pocbakery/pkg/bakery"`, checkImports, "bakery"},
		{"the local run knowing admission", "pkg/local/admin.go", doc + `import "pocbakery/pkg/admission"`, checkImports, "admission"},
		{"the product knowing a script", "pkg/app/app.go", doc + `import "pocbakery/scripts/run"`, checkImports, "scripts/run"},
		{"a package no rule names", "pkg/basket/basket.go", doc, checkImports, "no rule"},
		{"a door that knows the embedded table", "pkg/api/routes.go", doc + `import "pocbakery/pkg/store/bolt"`, checkImports, "store/bolt"},
		{"a module nobody chose", "pkg/api/routes.go", doc + `import "example.org/router"`, checkImports, "example.org/router"},
		{"a decision that asks what time it is", "pkg/bakery/slot.go", doc + "import \"time\"\nvar now = time.Now()", checkClocks, "time.Now"},
		{"a clock under another name", "pkg/bakery/slot.go", doc + "import t \"time\"\nvar f = t.Now", checkClocks, "time.Now"},
		{"a clock by dot import", "pkg/bakery/slot.go", doc + "import . \"time\"\nvar now = Now()", checkClocks, "dot"},
		{"a hub that waits", "pkg/hub/run.go", doc + "import \"time\"\nfunc f() { time.Sleep(1) }", checkClocks, "time.Sleep"},
		{"a door with a clock of its own", "pkg/api/routes.go", doc + "import \"time\"\nvar now = time.Now", checkClocks, "time.Now"},
		{"chance without a seed", "pkg/bakery/history.go", doc + "import \"math/rand/v2\"\nvar n = rand.IntN(6)", checkClocks, "rand.IntN"},
		{"a package without a doc", "pkg/bakery/slot.go", "package bakery\n", checkDocs, "package doc"},
		{"a file nobody can read at once", "pkg/bakery/slot.go", doc + strings.Repeat("\n", maxLines), checkFiles, "lines"},
		{"a vague directory", "pkg/util/time.go", doc, checkFiles, "util"},
		{"a vague file", "pkg/bakery/helpers.go", doc, checkFiles, "helpers"},
		{"a path of one machine", "pkg/bakery/slot.go", doc + "// see /" + "root/notes\n", checkText, "machine"},
		{"a path of one person", "README.md", "cd /" + "home/maja/shop\n", checkText, "machine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := c.check([]file{parse(t, c.path, c.source)})
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), c.want) {
				t.Errorf("found %q, want a complaint about %q", found, c.want)
			}
		})
	}
}

func TestAnAllowedTreeIsLeftAlone(t *testing.T) {
	const doc = "// Package x is here.\npackage x\n"
	for path, source := range map[string]string{
		"pkg/bakery/slot.go":         doc + "import (\n\"time\"\n\"pocbakery/pkg/hub\"\n)\nvar _ = time.Minute\nvar _ hub.Event",
		"pkg/bakery/history.go":      doc + "import \"math/rand/v2\"\nvar r = rand.New(rand.NewPCG(1, 2))",
		"pkg/bakery/slot_test.go":    doc + "import (\n\"os\"\n\"time\"\n)\nvar _, _ = os.Args, time.Now",
		"pkg/store/bolt/store.go":    doc + "import (\n\"time\"\n\"go.etcd.io/bbolt\"\n)\nvar _, _ = time.Now, bbolt.Open",
		"pkg/app/app.go":             doc + "import \"pocbakery/pkg/store/bolt\"",
		"scripts/run/main.go":        doc + "import (\n\"time\"\n\"pocbakery/pkg/app\"\n)\nvar _ = time.Now",
		"functions/admit/main.go":    doc + "import \"pocbakery/pkg/app\"",
		"pkg/access/address.go":      doc + "import \"net/netip\"",
		"pkg/bakery/clock_method.go": doc + "import \"time\"\ntype c struct{}\nfunc (c) Now() time.Time { return time.Time{} }\nvar _ = c{}.Now()",
	} {
		files := []file{parse(t, path, source)}
		for _, check := range []func([]file) []string{checkImports, checkClocks, checkDocs, checkFiles, checkText} {
			report(t, check(files))
		}
	}
}

func report(t *testing.T, complaints []string) {
	t.Helper()
	for _, c := range complaints {
		t.Error(c)
	}
}
