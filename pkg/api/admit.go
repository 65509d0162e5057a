package api

import (
	"pocbakery/pkg/admission"
	"pocbakery/pkg/limit"
)

type admitBody struct {
	Kind           text `json:"kind" enum:"guest,demo,account" doc:"Who you come as"`
	DemoAccount    text `json:"demo_account,omitempty" enum:"maja,olle" doc:"Of kind demo alone: maja is a baker (default), olle a customer"`
	TurnstileToken text `json:"turnstile_token,omitempty" maxLength:"2048" doc:"The human check's token; not part of what a repeat must say again"`
}

type admittedJSON struct {
	Sandbox sandboxJSON `json:"sandbox"`
	Session *tokenJSON  `json:"session,omitempty" doc:"Left out of a repeat that comes more than 30 minutes after the admission"`
}

type tokenJSON struct {
	Token     string  `json:"token" doc:"For Authorization: Bearer"`
	ExpiresAt instant `json:"expires_at"`
}

func (s *server) admit(c *call, in *admitBody) (out admittedJSON, err error) {
	if in.DemoAccount != "" && in.Kind != text(admission.Demo) {
		return out, invalid("demo_account", "Only kind demo has a demo account.")
	}
	var subject string
	if in.Kind == text(admission.Account) { // the other kinds are the same whoever has signed in
		i, err := s.door.identityAt(c.request, nowOf(c.writer))
		if err == nil {
			err = s.Accounts.Vouch(c.ctx, i)
		}
		if err != nil {
			return out, err
		}
		subject = i.Account()
	}
	a, err := s.Desk.Admit(c.ctx, admission.Request{
		Kind: admission.Kind(in.Kind), DemoAccount: string(in.DemoAccount), Key: c.key, TurnstileToken: string(in.TurnstileToken),
		Address: limit.AddressOf(c.request.RemoteAddr), Subject: subject, Told: func(d limit.Decision) { tellLimits(c.writer, d) },
	})
	if err != nil {
		return out, err
	}
	if a.Replayed {
		c.replayed()
	}
	out.Sandbox = sandboxOf(a.Root, a.Now, a.Role)
	if a.Session != "" {
		out.Session = &tokenJSON{a.Session, instant(a.SessionEnds)}
		SetSessionCookie(c.writer, a.Session, a.SessionEnds)
	}
	c.writer.Header()["Location"] = []string{"/v1/sandbox"}
	return out, nil
}
