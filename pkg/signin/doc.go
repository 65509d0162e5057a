// Package signin signs people in at any OpenID Connect provider: the code flow
// with PKCE. It is the one way in from the internet that makes an identity.
//
//	GET /v1/login?next=/path  -> the provider, with state, nonce and challenge
//	GET /v1/login/callback    -> the code for a token, its claims for an identity
//
// # Invariants
//
//	L1 State, nonce and verifier are drawn anew for each sign-in and known to
//	   nobody but its browser's cookie, in which they are sealed, for 10 minutes.
//	   Who comes back without that cookie, or with another state, is refused.
//	L2 Afterwards a browser goes to a path of ours, and nowhere else.
//	L3 An e-mail address counts only if the provider says that it has verified it.
//	L4 The provider is asked for its configuration at the first sign-in, never
//	   before; what fails is said on a page and asked again at the next.
//
// Codes, tokens and whatever the provider says are in no log and no page.
package signin
