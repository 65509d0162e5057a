package local_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pocbakery/pkg/access"
)

func TestTheAdminPortSignsInWhoeverItIsTold(t *testing.T) {
	h := open(t)
	w := h.ask("POST", "/_local/identity", `{"subject":"anna","name":"Anna Ek","email":"anna@example.org"}`)
	same(t, w.Code, 200, "the answer")
	var out struct{ Cookie string }
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(out.Cookie, "__Host-identity=")
	same(t, ok, true, "a cookie of the name")
	got, err := h.admin.Sessions.Identity(token, h.wall.Now())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, access.Identity{Issuer: h.admin.Issuer, Subject: "anna", Name: "Anna Ek", Email: "anna@example.org",
		MadeAt: h.wall.Now().UTC().Truncate(time.Millisecond)}, "who it is")

	h.refuses(h.ask("POST", "/_local/identity", `{"name":"nobody"}`), 422, "invalid", "nobody")
	h.refuses(h.ask("POST", "/_local/identity", `{"subject":"`+strings.Repeat("s", 256)+`"}`), 422, "invalid", "a subject that is too long")
	h.refuses(h.ask("POST", "/_local/identity", `{"sub":"anna"}`), 400, "malformed-body", "a field it does not know")
}
