package lambda

import (
	"strings"
	"testing"
)

const oneMaster = `{"masters":["MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="]}`

func TestSecretsAreReadAsTheyAreWritten(t *testing.T) {
	s, err := parseSecrets(`{"masters":["MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=","eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg="],"turnstile":"a","oidc":"b","origin":"c"}`)
	if err != nil || len(s.Masters) != 2 || string(s.Masters[0]) != "0123456789abcdef0123456789abcdef" || s.Turnstile != "a" || s.OIDC != "b" || s.Origin != "c" {
		t.Errorf("%d masters, %v", len(s.Masters), err)
	}
}

func TestWhatIsWrongWithSecretsIsSaidWithoutThem(t *testing.T) {
	for name, value := range map[string]string{
		"nothing": "", "no JSON": "hush hush", "no masters": `{}`, "an empty list": `{"masters":[]}`,
		"a short master": `{"masters":["aHVzaA=="]}`, "no base 64": `{"masters":["hush hush"]}`,
		"a name that is none": `{"masters":["MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="],"hush":"hush"}`,
	} {
		if _, err := parseSecrets(value); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add(oneMaster)
	f.Add(`{"masters":[null]}`)
	f.Fuzz(func(t *testing.T, value string) {
		s, err := parseSecrets(value)
		if err == nil && (len(s.Masters) == 0 || len(s.Masters[0]) < 32) {
			t.Errorf("%q is taken", value)
		}
	})
}
