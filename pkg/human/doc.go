// Package human asks Cloudflare's siteverify whether a visitor is a person: the
// adapter behind admission's port of that name.
//
// What it stands on, read in Cloudflare's Turnstile documentation (pages
// "Validate the token", "Test your Turnstile implementation", "Widget
// configurations" and "Content Security Policy") on 2026-12-01:
//
//   - POST https://challenges.cloudflare.com/turnstile/v0/siteverify takes a form
//     or JSON with secret, response (the widget's token), remoteip (optional)
//     and idempotency_key (optional, a UUID), and always answers JSON.
//   - The answer has success and error-codes, and of a token that was read
//     challenge_ts, hostname and action: where and for what its widget stood.
//   - A token has at most 2,048 characters, is good for 300 seconds and for one
//     check. Asked again with the idempotency_key of its check, siteverify
//     gives the answer it gave.
//   - Test keys, for sites and for secrets, are published: see [TestSiteKeys]
//     and [TestSecrets]. Test site keys make the token [TestToken], which test
//     secrets alone take.
//
// # What it decides
//
// Nil is a pass; everything else is a refusal.
//
//	H1 only an answer that says success, for our hostname and our action where
//	   these are configured, is a pass
//	H2 no answer within [Patience], in all, whatever hangs: turnstile-unavailable
//	H3 an answer that cannot be read, is longer than [maxAnswer] bytes, gives no
//	   reason, or one that is not in the table: turnstile-unavailable
//	H4 an answer that was lost is asked for once more, within the same Patience
//	   and under the same idempotency_key, so that a token spent by the first
//	   question passes the second
//	H5 a production stage with a test key, without a secret, hostname or action,
//	   or with another address than Cloudflare's has no checker: [New] fails
//	   with misconfigured, and the stage answers nothing else
//
// # What leaves
//
// The secret and the token go to siteverify and nowhere else: neither is kept,
// logged or part of an error. remoteip is not sent: it is optional, not
// strictly checked, and a visitor's address stays here, where it is only ever
// kept as a hash.
package human
