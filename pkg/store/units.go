package store

import "hash/fnv"

// A read unit covers so many bytes, a write unit so many.
const (
	readUnitBytes  = 4096
	writeUnitBytes = 1024
)

// Shards is into how many parts the sweep's index is cut, so that no part of it
// takes more writes a second than the whole table may.
const Shards = 4

// attrShard names the attribute, of one letter, that says in which part of the
// sweep's index an item is. An item has it exactly where it has a wake.
const (
	attrShard  = "shard"
	shardBytes = len(attrShard) + 1
)

// ShardOf is the part of the sweep's index that a hub's items are in.
func ShardOf(pk string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(pk)) // never fails
	return string(rune('0' + h.Sum32()%Shards))
}

// ItemBytes is an item's size by DynamoDB's public rules: names and values of
// all attributes, pk, sk, rev and shard among them.
func ItemBytes(i Item) int {
	n := len("pk") + len(i.PK) + len("sk") + len(i.SK) + len("rev") + numberBytes(i.Rev)
	for name, v := range i.Fields {
		n += len(name) + valueBytes(v)
	}
	if i.Has(FieldWake) {
		n += shardBytes
	}
	return n
}

func valueBytes(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case int64:
		return numberBytes(v)
	}
	return 1 // a boolean
}

// numberBytes is one byte, one more for each two significant digits (zeros at
// the end do not count) and one for a minus.
func numberBytes(n int64) int {
	size := 1
	if n < 0 {
		size++
	}
	for n != 0 && n%10 == 0 {
		n /= 10
	}
	digits := 0
	for ; n != 0; n /= 10 {
		digits++
	}
	return size + (max(digits, 1)+1)/2
}

// RefBytes is the size of one entry of an index: the keys and the end.
// field is FieldDue or FieldWake.
func RefBytes(k Key, field string) int {
	n := len("pk") + len(k.PK) + len("sk") + len(k.SK) + len(field) + len(instantLayout)
	if field == FieldDue {
		return n + 1 // the clock's letter
	}
	return n + shardBytes
}

// ReadUnits is what one strongly consistent read of so many bytes consumes:
// one Get of an item (0 bytes when it is not there), or one query in all.
func ReadUnits(bytes int) float64 {
	return float64(max(1, (bytes+readUnitBytes-1)/readUnitBytes))
}

// EventualReadUnits is the same for an eventually consistent read.
func EventualReadUnits(bytes int) float64 { return ReadUnits(bytes) / 2 }

// OverdueUnits is what an Overdue consumes that found these: one eventually
// consistent query a shard. (Where a limit cut it short it may be more, since
// each shard is asked for so many.)
func OverdueUnits(found []Ref) float64 {
	bytes := make(map[string]int, Shards)
	for _, r := range found {
		bytes[ShardOf(r.PK)] += RefBytes(r.Key, FieldWake)
	}
	units := float64(Shards-len(bytes)) * EventualReadUnits(0)
	for _, n := range bytes {
		units += EventualReadUnits(n)
	}
	return units
}

// BaseWriteUnits is what a write consumes on the table itself, by the larger
// of the item before and after (the zero Item for none). A write whose guard
// failed consumes it too, after being what it would have written.
func BaseWriteUnits(before, after Item) float64 {
	bytes := 0
	for _, i := range [...]Item{before, after} {
		if i.Exists() {
			bytes = max(bytes, ItemBytes(i))
		}
	}
	return float64(max(1, (bytes+writeUnitBytes-1)/writeUnitBytes))
}

// IndexWriteUnits is what the upkeep of the two indexes adds to a write that
// was applied, in a transaction too (it is never doubled). An index takes one
// unit to add or to remove an entry, so two where its value changes.
func IndexWriteUnits(before, after Item) float64 {
	units := 0.0
	for _, field := range [...]string{FieldDue, FieldWake} {
		was, is := before.String(field), after.String(field)
		if was == is {
			continue
		}
		if was != "" {
			units++
		}
		if is != "" {
			units++
		}
	}
	return units
}

// WriteUnits is what one write consumes: of a transaction its base twice, and
// the upkeep of the indexes only if it was applied.
func WriteUnits(before, after Item, transaction, applied bool) float64 {
	units := BaseWriteUnits(before, after)
	if transaction {
		units *= 2
	}
	if applied {
		units += IndexWriteUnits(before, after)
	}
	return units
}
