package bolt

import (
	"bytes"
	"encoding/binary"
	"time"

	"pocbakery/pkg/store"
)

// Buckets of the file. Their keys sort as the port's answers do:
//
//	items  pk 0 sk                          the encoded item
//	due    pk 0 clock instant sk            nothing
//	wake   instant pk 0 sk                  nothing
//	ttl    seconds (8 bytes) pk 0 sk        nothing
//	hubs   pk                               how many items it has (8 bytes)
//	meta   "format"                         what the file is
//
// A partition key holds no NUL (store.CheckKey), so the first one ends it.
var (
	bucketItems = []byte("items")
	bucketDue   = []byte("due")
	bucketWake  = []byte("wake")
	bucketTTL   = []byte("ttl")
	bucketHubs  = []byte("hubs")
	bucketMeta  = []byte("meta")
)

// instantBytes is the length of what store.FormatInstant writes.
const instantBytes = len("2006-01-02T15:04:05.000Z")

func itemKey(k store.Key) []byte {
	b := make([]byte, 0, len(k.PK)+1+len(k.SK))
	return appendKey(b, k)
}

func appendKey(b []byte, k store.Key) []byte {
	b = append(b, k.PK...)
	b = append(b, 0)
	return append(b, k.SK...)
}

// parseKey reads what appendKey wrote.
func parseKey(b []byte) store.Key {
	pk, sk, _ := bytes.Cut(b, []byte{0})
	return store.Key{PK: string(pk), SK: string(sk)}
}

// isKey says whether appendKey writes k so.
func isKey(b []byte, k store.Key) bool {
	n := len(k.PK)
	return len(b) == n+1+len(k.SK) && string(b[:n]) == k.PK && b[n] == 0 && string(b[n+1:]) == k.SK
}

// dueKey takes the item's field due, which is the clock's letter and an instant.
func dueKey(k store.Key, due string) []byte {
	b := make([]byte, 0, len(k.PK)+1+len(due)+len(k.SK))
	b = append(b, k.PK...)
	b = append(b, 0)
	b = append(b, due...)
	return append(b, k.SK...)
}

func wakeKey(k store.Key, wake string) []byte {
	b := make([]byte, 0, len(wake)+len(k.PK)+1+len(k.SK))
	return appendKey(append(b, wake...), k)
}

func ttlKey(k store.Key, ttl int64) []byte {
	b := make([]byte, 0, 8+len(k.PK)+1+len(k.SK))
	return appendKey(binary.BigEndian.AppendUint64(b, uint64(ttl)), k)
}

// parseTTLKey reads what ttlKey wrote.
func parseTTLKey(b []byte) (time.Time, store.Key) {
	return time.Unix(int64(binary.BigEndian.Uint64(b)), 0).UTC(), parseKey(b[8:])
}

// hubPrefix begins all of a hub's keys in items and due, hubEnd is past them.
func hubPrefix(pk string) []byte { return append([]byte(pk), 0) }
func hubEnd(pk string) []byte    { return append([]byte(pk), 1) }

// instant reads the first bytes of b as an instant; whatever stands in an
// index was checked when it was written.
func instant(b []byte) time.Time {
	t, _ := store.ParseInstant(string(b[:min(len(b), instantBytes)]))
	return t
}
