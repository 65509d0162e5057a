package ics

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// refused are the addresses that no calendar is fetched from, beside those that
// netip knows as private, loopback, link-local, multicast or unspecified.
var refused = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // behind a carrier's NAT
	netip.MustParsePrefix("192.0.0.0/24"),    // protocols
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast
	netip.MustParsePrefix("::/96"),           // IPv4 within IPv6, as it once was
	netip.MustParsePrefix("64:ff9b::/96"),    // IPv4 behind a translator
	netip.MustParsePrefix("64:ff9b:1::/48"),  // the same, local
	netip.MustParsePrefix("100::/64"),        // discarded
	netip.MustParsePrefix("2001::/23"),       // protocols, Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // IPv4 within IPv6 (6to4)
	netip.MustParsePrefix("fec0::/10"),       // site-local, as it once was
}

// public reports whether an address is anybody's on the internet.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return false
	}
	return !slices.ContainsFunc(refused, func(p netip.Prefix) bool { return p.Contains(a) })
}

// mayDial reports whether an address may be connected to.
func (s *Side) mayDial(to netip.AddrPort) bool {
	if s.Loopback && to.Addr().Unmap().IsLoopback() {
		return true
	}
	return public(to.Addr()) && (to.Port() == 80 || to.Port() == 443)
}

// maxAddress is the longest address that is asked, in bytes.
const maxAddress = 2048

// parse reads a calendar's address; ok is false for one that may not be asked.
// What its name resolves to is judged when it is dialled.
func (s *Side) parse(address string) (u *url.URL, ok bool) {
	if len(address) > maxAddress {
		return nil, false
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, false
	}
	if u.Scheme == "webcal" {
		u.Scheme = "https"
	}
	return u, s.mayAsk(u)
}

func (s *Side) mayAsk(u *url.URL) bool {
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if (u.Scheme != "http" && u.Scheme != "https") || host == "" || u.User != nil || u.Opaque != "" || slices.Contains(s.Own, host) {
		return false
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if s.Loopback && a.Unmap().IsLoopback() {
			return true
		}
		if !public(a) {
			return false
		}
	}
	if s.Loopback && host == "localhost" {
		return true
	}
	switch u.Port() {
	case "", "80", "443":
		return true
	}
	return false
}
