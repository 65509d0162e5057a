package limit

import "net/netip"

// siteBits is how much of an IPv6 address names whoever has it: a /64 is the
// least that a household is given.
const siteBits = 64

// AddressOf is the address that a connection comes from, as limits count it:
// of IPv6 the /64, and an IPv4 address written as IPv6 is the IPv4 address.
// remote is a host with a port, as http.Request has it in RemoteAddr; of what
// is none the address is not valid.
func AddressOf(remote string) netip.Addr {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	a := from.Addr().Unmap().WithZone("")
	if a.Is4() {
		return a
	}
	site, err := a.Prefix(siteBits)
	if err != nil { // never of an IPv6 address without a zone
		return netip.Addr{}
	}
	return site.Addr()
}
