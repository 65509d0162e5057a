package store

// A read unit covers so many bytes, a write unit so many.
const (
	readUnitBytes  = 4096
	writeUnitBytes = 1024
)

// ItemBytes is an item's size by DynamoDB's public rules: names and values of
// all attributes, pk, sk and rev among them.
func ItemBytes(i Item) int {
	n := len("pk") + len(i.PK) + len("sk") + len(i.SK) + len("rev") + numberBytes(i.Rev)
	for name, v := range i.Fields {
		n += len(name) + valueBytes(v)
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
		n++ // the clock's letter
	}
	return n
}

// ReadUnits is what one strongly consistent read of so many bytes consumes:
// one Get of an item (0 bytes when it is not there), or one query in all.
func ReadUnits(bytes int) float64 {
	return float64(max(1, (bytes+readUnitBytes-1)/readUnitBytes))
}

// EventualReadUnits is the same for an eventually consistent read.
func EventualReadUnits(bytes int) float64 { return ReadUnits(bytes) / 2 }

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
