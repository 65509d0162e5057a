// Package limit bounds what one address, session, hub or token may ask for in
// a minute, from memory alone.
//
// Who is authoritative: nobody. Each process counts for itself and forgets at
// its end, so a limit is a courtesy that keeps most of a flood away from the
// table; what must hold is a guard on an item.
package limit
