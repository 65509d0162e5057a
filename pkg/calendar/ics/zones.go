package ics

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pocbakery/pkg/calendar"
)

// ownZone is a VTIMEZONE of the file.
type ownZone struct {
	id       string
	location string // X-LIC-LOCATION, an IANA name where it is there
	parts    []component
	used     bool
}

// zoneNames resolve the names that a file has for its zones.
type zoneNames struct {
	file  map[string]*ownZone
	known map[string]string // resolved before
}

// resolve is the name by which a feed knows a zone: an IANA name, or the file's
// own where only it says what the zone is. ok is false for a zone that nobody
// knows, which becomes none: whoever looks takes it for theirs.
func (z zoneNames) resolve(name string) (resolved string, ok bool) {
	if name == "" {
		return "", true
	}
	if known, had := z.known[name]; had {
		return known, known != ""
	}
	defer func() { z.known[name] = resolved }()
	candidates := []string{name}
	if parts := strings.Split(strings.Trim(name, "/"), "/"); len(parts) > 2 { // a name within somebody's own
		candidates = append(candidates, strings.Join(parts[len(parts)-2:], "/"), strings.Join(parts[len(parts)-3:], "/"))
	}
	own := z.file[name]
	if own != nil {
		candidates = append(candidates, own.location)
	}
	for _, c := range candidates {
		if iana(c) {
			return c, true
		}
		if c := windowsZones[c]; iana(c) {
			return c, true
		}
	}
	if own != nil && len(own.parts) > 0 {
		own.used = true
		return name, true
	}
	return "", false
}

func iana(name string) bool {
	if name == "" || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// own are the zones of the file that its events have.
func (z zoneNames) own(bad func(int, string)) (all []calendar.Zone) {
	for _, o := range z.file {
		if !o.used {
			continue
		}
		zone := calendar.Zone{Name: o.id}
		for _, p := range o.parts {
			s, err := shiftOf(p)
			if err != nil {
				bad(p.number, err.Error())
				continue
			}
			zone.Shifts = append(zone.Shifts, s)
		}
		all = append(all, zone)
	}
	slices.SortFunc(all, func(a, b calendar.Zone) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func shiftOf(c component) (calendar.Shift, error) {
	broken := errors.New("a change of clocks in the calendar's time zone cannot be read")
	start, ok := c.first("DTSTART")
	if !ok {
		return calendar.Shift{}, broken
	}
	at, err := stampOf(start, start.value)
	from, fromErr := offsetOf(c.value("TZOFFSETFROM"))
	to, toErr := offsetOf(c.value("TZOFFSETTO"))
	if err != nil || fromErr != nil || toErr != nil {
		return calendar.Shift{}, broken
	}
	s := calendar.Shift{From: from, To: to, Start: at.Clock, Rule: c.value("RRULE")}
	for _, m := range stampsOfLines(c.lines["RDATE"], func(int, string) {}) {
		s.More = append(s.More, m.Clock)
	}
	return s, nil
}

var offsetForm = regexp.MustCompile(`^([+-])(\d\d)(\d\d)(\d\d)?$`)

// offsetOf reads +0100 in seconds.
func offsetOf(s string) (int, error) {
	p := offsetForm.FindStringSubmatch(s)
	if p == nil {
		return 0, errStamp
	}
	var all int
	for i, unit := range []int{3600, 60, 1} {
		n, _ := strconv.Atoi("0" + p[i+2])
		all += n * unit
	}
	if p[1] == "-" {
		all = -all
	}
	return all, nil
}
