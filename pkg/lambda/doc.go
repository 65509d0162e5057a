// Package lambda puts the bakery together on AWS Lambda: it reads the
// environment and the secrets, makes the clients of AWS that a function uses,
// and wires the program over them. Each of functions/*/main.go starts one of
// [Admit], [API] and [Hub].
//
// # Secrets
//
// All of them are in one SecureString parameter, a JSON object (see [Secrets]).
// It is read once before the first request, and again by a request that finds
// the reading ten minutes old: nothing runs between requests. Other secrets are
// another program: it is wired anew, and what was in memory (limits, flags) was
// a courtesy. A parameter that cannot be read again leaves the old secrets.
//
// # Invariants
//
//	F1 a configuration that is no good never stops a function from starting: over
//	   HTTP it answers 503 misconfigured, and the reason is in the log
//	F2 a function makes no client that it does not use: its code does not hold
//	   the call, which is how its rights are counted (functions/rights_test.go)
//	F3 what wakes the hub is told of a failure, so that Lambda tries again and in
//	   the end keeps the event in a queue
//	F4 the log has no secret, no address and no words of AWS beside operation
//	   and code
package lambda
