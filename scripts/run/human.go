package main

import (
	"cmp"
	"log/slog"
	"os"

	"pocbakery/pkg/admission"
	"pocbakery/pkg/human"
	"pocbakery/pkg/web"
)

// humanCheck is the check that the environment asks for. Without a secret of
// somebody's own it is one with test keys and the siteverify of this program,
// at the address given; with one, Cloudflare's.
func humanCheck(standIn string, log *slog.Logger) (check admission.Human, siteKey string, refuse error) {
	c := human.Config{
		Secret: os.Getenv("TURNSTILE_SECRET"), SiteKey: os.Getenv("TURNSTILE_SITE_KEY"),
		Address: os.Getenv("SITEVERIFY_URL"), Hostname: os.Getenv("TURNSTILE_HOSTNAME"), Action: web.CheckAction,
		Report: func(event string, err error) { log.Error(event, "event", event, "error", err.Error()) },
	}
	if c.Secret == "" {
		c.Secret, c.SiteKey, c.Action = human.AlwaysPasses, "", ""
		c.Address = cmp.Or(c.Address, standIn)
	}
	k, err := human.New(c)
	if err != nil {
		return nil, "", err
	}
	if human.RealSiteKey(c.SiteKey) {
		siteKey = c.SiteKey
	}
	return k, siteKey, nil
}
