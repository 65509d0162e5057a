package api

import "pocbakery/pkg/hub"

type apiTokenJSON struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Prefix     string  `json:"prefix" doc:"How it begins"`
	CreatedAt  instant `json:"created_at"`
	LastUsedOn string  `json:"last_used_on,omitempty" format:"date" doc:"The last day in UTC on which it was used; left out for never"`
}

func apiTokenOf(t hub.Token) apiTokenJSON {
	return apiTokenJSON{t.ID, t.Name, t.Prefix, instant(t.MadeAt), t.LastUsedOn}
}

type apiTokensJSON struct {
	Tokens []apiTokenJSON `json:"tokens"`
}

func (s *server) tokens(c *call) (out apiTokensJSON, err error) {
	tokens, err := s.Tokens.List(c.ctx, c.who)
	out.Tokens = make([]apiTokenJSON, len(tokens))
	for i, t := range tokens {
		out.Tokens[i] = apiTokenOf(t)
	}
	return out, err
}

type makeTokenBody struct {
	Name text `json:"name" minLength:"1" maxLength:"80" doc:"By which you will know it"`
}

type madeTokenJSON struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Token     string  `json:"token" doc:"For Authorization: Bearer; it is not shown again"`
	Prefix    string  `json:"prefix" doc:"How it begins"`
	CreatedAt instant `json:"created_at"`
}

func (s *server) makeToken(c *call, in *makeTokenBody) (madeTokenJSON, error) {
	t, secret, err := s.Tokens.Make(c.ctx, c.who, string(in.Name))
	if err != nil {
		return madeTokenJSON{}, err
	}
	c.writer.Header()["Location"] = []string{"/v1/tokens/" + t.ID}
	return madeTokenJSON{t.ID, t.Name, secret, t.Prefix, instant(t.MadeAt)}, nil
}

func (s *server) revokeToken(c *call) error { return s.Tokens.Revoke(c.ctx, c.who, c.path("id")) }
