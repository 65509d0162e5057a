package lambda

import (
	"errors"
	"fmt"
	"strconv"

	"pocbakery/pkg/admission"
)

// Settings is what the template puts into a function's environment.
type Settings struct {
	Stage            string
	Region           string
	Endpoint         string // of all of AWS, where it is not AWS's own
	Table            string
	SecretsParameter string
	ScheduleGroup    string
	HubARN           string
	SchedulerRole    string
	ScheduleFailures string // the queue's ARN
	PublicHost       string // empty for the gateway's own
	Distribution     bool   // a distribution stands in front of the gateway
	SiteKey          string // of Turnstile's widget
	Siteverify       string // empty for Cloudflare's
	Hostname         string // that a human check was made for
	Admission        admission.Settings
}

// production is the stage that is held to stricter rules.
const production = "production"

// SettingsOf reads an environment. Its error names every variable at fault, and
// no value.
func SettingsOf(getenv func(string) string) (Settings, error) {
	var wrong []error
	need := func(name string) string {
		v := getenv(name)
		if v == "" {
			wrong = append(wrong, fmt.Errorf("%s is not set", name))
		}
		return v
	}
	count := func(name string, usual int) int {
		v := getenv(name)
		if v == "" {
			return usual
		}
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			wrong = append(wrong, fmt.Errorf("%s is no count", name))
		}
		return n
	}
	usual := admission.DefaultSettings()
	s := Settings{
		Stage: need("STAGE"), Region: need("AWS_REGION"), Endpoint: getenv("AWS_ENDPOINT_URL"),
		Table: need("TABLE"), SecretsParameter: need("SECRETS_PARAMETER"),
		ScheduleGroup: need("SCHEDULE_GROUP"), HubARN: need("HUB_ARN"), SchedulerRole: need("SCHEDULER_ROLE_ARN"),
		ScheduleFailures: need("SCHEDULE_FAILURES_ARN"),
		PublicHost:       getenv("PUBLIC_HOST"), Distribution: getenv("BEHIND_DISTRIBUTION") == "true",
		SiteKey: getenv("TURNSTILE_SITE_KEY"), Siteverify: getenv("SITEVERIFY_URL"), Hostname: getenv("TURNSTILE_HOSTNAME"),
		Admission: admission.Settings{
			Flag: usual.Flag, Cap: count("SANDBOX_CAP", usual.Cap),
			GuestShare: count("GUEST_SHARE", usual.GuestShare), DemoCap: count("DEMO_CAP", usual.DemoCap),
		},
	}
	if s.Stage == production && s.Endpoint != "" {
		wrong = append(wrong, errors.New("AWS_ENDPOINT_URL is set in production"))
	}
	return s, errors.Join(wrong...)
}
