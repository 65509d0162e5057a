package ics

import (
	"bytes"
	"strings"
	"unicode/utf8"

	golangical "github.com/arran4/golang-ical"
)

// maxLine is the longest line that is read, unfolded, in bytes; longer ones are
// somebody's attachments.
const maxLine = 16 << 10

// line is one property: NAME;PARAMETER=VALUE:value.
type line struct {
	number int // of its first physical line, from 1
	name   string
	value  string
	params map[string][]string
}

func (l line) param(name string) string {
	for k, v := range l.params {
		if strings.EqualFold(k, name) && len(v) > 0 {
			return v[0]
		}
	}
	return ""
}

// wanted are the properties that are looked at.
var wanted = map[string]bool{
	"BEGIN": true, "END": true, "X-WR-CALNAME": true,
	"UID": true, "SUMMARY": true, "DTSTART": true, "DTEND": true, "DURATION": true, "RRULE": true, "RDATE": true, "EXDATE": true,
	"RECURRENCE-ID": true, "STATUS": true, "TRANSP": true, "SEQUENCE": true, "ATTENDEE": true, "X-MICROSOFT-CDO-BUSYSTATUS": true,
	"TZID": true, "X-LIC-LOCATION": true, "TZOFFSETFROM": true, "TZOFFSETTO": true,
}

// lines splits a file into the properties that are wanted; bad is told of those
// that cannot be read.
func lines(file []byte, each func(line), bad func(number int, what string)) {
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	var whole []byte
	number, began := 0, 0
	flush := func() {
		if len(whole) > 0 {
			property(whole, began, each, bad)
		}
	}
	for len(file) > 0 {
		var physical []byte
		physical, file = cut(file)
		number++
		if len(physical) > 0 && (physical[0] == ' ' || physical[0] == '\t') && began > 0 {
			if len(whole) <= maxLine {
				whole = append(whole, physical[1:]...)
			}
			continue
		}
		flush()
		whole, began = append(whole[:0], physical...), number
	}
	flush()
}

// cut takes a line off a file, whatever ends it.
func cut(file []byte) (first, rest []byte) {
	i := bytes.IndexAny(file, "\r\n")
	switch {
	case i < 0:
		return file, nil
	case file[i] == '\r' && i+1 < len(file) && file[i+1] == '\n':
		return file[:i], file[i+2:]
	}
	return file[:i], file[i+1:]
}

func property(whole []byte, number int, each func(line), bad func(int, string)) {
	end := bytes.IndexAny(whole, ":;")
	if end < 0 {
		return // nothing that we want is so
	}
	name := strings.ToUpper(strings.TrimSpace(string(whole[:end])))
	if !wanted[name] {
		return
	}
	if len(whole) > maxLine {
		bad(number, "the line is too long")
		return
	}
	text := string(whole)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	p, err := golangical.ParseProperty(golangical.ContentLine(name + text[end:]))
	if err != nil || p == nil {
		bad(number, "the line cannot be read")
		return
	}
	each(line{number: number, name: name, value: p.Value, params: p.ICalParameters})
}
