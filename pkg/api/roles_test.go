package api

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"pocbakery/pkg/access"
	"pocbakery/pkg/hub"
)

var rewrite = flag.Bool("rewrite", false, "write the golden table of roles anew")

// TestWhoGetsThroughEachRouteIsWhatTheTableSays asks every route of the document
// as everybody there is, and holds the answers against testdata/roles.txt: a
// change of who may do what is a change of that file, which somebody reads. ok
// is whatever a service answers.
func TestWhoGetsThroughEachRouteIsWhatTheTableSays(t *testing.T) {
	everybody := []struct {
		name string
		ask  func(h *house) []string // headers
	}{
		{"nobody", func(*house) []string { return nil }},
		{"customer", func(h *house) []string { return []string{"Authorization", "Bearer " + h.token(hub.Customer)} }},
		{"baker", func(h *house) []string { return []string{"Authorization", "Bearer " + h.token(hub.Baker)} }},
		{"token", func(h *house) []string { return []string{"Authorization", "Bearer " + h.apiToken(hub.Baker)} }},
		{"signed-in", func(h *house) []string { return []string{"Cookie", h.signedIn(anna)} }},
		{"own-hub", func(h *house) []string {
			return []string{"Authorization", "Bearer " + h.sessions.Sign(accountSession(anna))}
		}},
		{"past", func(h *house) []string {
			s := sessionOf(hub.Baker)
			s.EndsAt = noon
			return []string{"Authorization", "Bearer " + h.sessions.Sign(s)}
		}},
		{"forged", func(h *house) []string {
			return []string{"Authorization", "Bearer " + access.NewSessions([]byte("another master of 32 characters.")).Sign(sessionOf(hub.Baker))}
		}},
		{"foreign-page", func(h *house) []string {
			return []string{"Cookie", SessionCookie + "=" + h.token(hub.Baker) + "; " + h.signedIn(anna), "Sec-Fetch-Site", "cross-site"}
		}},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-44s", "")
	for _, who := range everybody {
		fmt.Fprintf(&table, " %-16s", who.name)
	}
	for path, item := range published(t)["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if !knownRoute(strings.ToUpper(method), path) {
				t.Errorf("the document has %s %s, and the table of routes does not", method, path)
			}
		}
	}
	for _, rt := range routes() {
		fmt.Fprintf(&table, "\n%-44s", rt.method+" "+rt.path)
		for _, who := range everybody {
			h := newHouse(t)
			askRoute(t, h, &route{method: "GET", path: "/v1/menu", id: "menu"}) // the house has its order
			headers := who.ask(h)
			if !strings.HasPrefix(strings.Join(headers, " "), "Authorization") {
				headers = append([]string{"Authorization", ""}, headers...)
			}
			a := askRoute(t, h, &rt, headers...)
			said := "ok"
			if a.status == 401 || a.status == 403 || a.status == 410 || a.code() == "no-shop" {
				said = fmt.Sprintf("%d", a.status)
				if a.code() == "cross-origin" || a.code() == "no-shop" {
					said = a.code()
				}
			}
			fmt.Fprintf(&table, " %-16s", said)
		}
	}
	got := trimLines(table.String())
	const golden = "testdata/roles.txt"
	if *rewrite {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("who gets through is not what %s says (-rewrite writes it anew):\n%s", golden, got)
	}
}

func knownRoute(method, path string) bool {
	for _, rt := range routes() {
		if rt.method == method && rt.path == path {
			return true
		}
	}
	return false
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}
