package lambda

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deployed is an environment as the template makes it.
func deployed() map[string]string {
	return map[string]string{
		"STAGE": "dev", "AWS_REGION": "eu-north-1", "TABLE": "table", "SECRETS_PARAMETER": "/secrets", "SCHEDULE_GROUP": "group",
		"HUB_ARN": "hub", "SCHEDULER_ROLE_ARN": "role", "SCHEDULE_FAILURES_ARN": "queue",
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	for name := range deployed() {
		env := deployed()
		delete(env, name)
		if _, err := SettingsOf(func(n string) string { return env[n] }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	env := deployed()
	s, err := SettingsOf(func(n string) string { return env[n] })
	if err != nil || s.Admission.Cap != 300 || s.Admission.GuestShare != 100 {
		t.Errorf("%+v, %v", s.Admission, err)
	}
}

func TestACountThatIsNoneIsNamedAndNotQuoted(t *testing.T) {
	env := deployed()
	env["SANDBOX_CAP"], env["DEMO_CAP"] = "lots", "-1"
	_, err := SettingsOf(func(n string) string { return env[n] })
	if err == nil || !strings.Contains(err.Error(), "SANDBOX_CAP") || !strings.Contains(err.Error(), "DEMO_CAP") || strings.Contains(err.Error(), "lots") {
		t.Errorf("%v", err)
	}
}

func TestProductionAsksAWSItself(t *testing.T) {
	env := deployed()
	env["STAGE"], env["AWS_ENDPOINT_URL"] = "production", "http://127.0.0.1:4566"
	if _, err := SettingsOf(func(n string) string { return env[n] }); err == nil {
		t.Error("production asks somebody else")
	}
}

// later are variables that parts of the product read which are not built yet.
var later = []string{"OIDC_CLIENT_ID", "OIDC_ISSUER"}

func TestTheTemplateSetsWhatIsReadAndNothingElse(t *testing.T) {
	source, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, variables, _ := strings.Cut(string(source), "      Variables:\n")
	variables, _, _ = strings.Cut(variables, "\nResources:")
	set := map[string]bool{"AWS_REGION": true, "AWS_ENDPOINT_URL": true} // Lambda's, and ministack's
	for _, m := range regexp.MustCompile(`(?m)^        ([A-Z_]+):`).FindAllStringSubmatch(variables, -1) {
		set[m[1]] = true
	}
	read := map[string]bool{}
	for _, name := range later {
		read[name] = true
	}
	_, _ = SettingsOf(func(name string) string { read[name] = true; return "" })
	if got, want := slices.Sorted(maps.Keys(set)), slices.Sorted(maps.Keys(read)); !slices.Equal(got, want) {
		t.Errorf("set:  %v\nread: %v", got, want)
	}
}
