// Package access says who asks: it signs sessions and identities and reads them
// back, without a table, a network or a clock.
//
// # Keys
//
// All keys come from one or more master secrets ([Keyring]). Each purpose has
// keys of its own, derived by HKDF-SHA256 with the purpose as label, so that
// what is made for one purpose is worth nothing for another. A token names the
// key that signed it by its kid; the first master signs, all verify. A new
// master is put in front and the old one taken away when the last of its
// sessions has ended: that signs nobody out.
//
// # Sessions
//
// A session names one hub, what its holder is there, and its own end. A token
// is "s1." and the URL-safe base 64 of
//
//	kid (4) | version (1) | end (8, unix ms; 0: none) | hub | kind | role | id | mac (16)
//
// where each text has its length in front, in one byte. A session that signing
// out everywhere ends has version 2, and after its end the instant it was made.
//
// # Identities
//
// An identity is who somebody is, as the provider says that they signed in at:
// issuer, subject, name, verified e-mail, and when that was. It names no hub
// and is signed like a session, for 30 days (identity.go). An account is an
// issuer and a subject, and nothing else: names and addresses may be alike.
//
// # API tokens
//
// A token is "pb_", its hub, "." and in base 64
//
//	secret (32) | role (1) | tag (8)
//
// The tag is of a key of the ring, so that one made up costs no read. The hub
// keeps the SHA-256 of the secret and nothing else of it; that, and whether the
// token was revoked, is asked in the read of the root. A token has no end of its
// own and goes with its hub.
//
// # Invariants
//
//	S1 one session has one token under one key: any other spelling is forged
//	S2 a token is read completely before any of it is believed
//	S3 forged (401) and past its end (410) are told apart, and neither needs
//	   a read of the table
//	S4 a session is over at its end, and from then on; so is an identity
//	S5 two accounts are one only if issuer and subject are, byte for byte
//
// What a signature cannot know (that a session was signed out, or its hub
// wiped) is asked of the hub, in the same read as everything else.
package access
