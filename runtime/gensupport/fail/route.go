package fail

import (
	"fmt"
	"net/netip"
	"strings"
	"syscall"
)

// Path is the beginning of a path to a peer, as a call was given it, with the port that it leaves by.
type Path struct {
	Port     uint8
	Active   bool   // the state of the port
	State    string // and its name
	Ethernet bool   // the link layer of the port
	Global   bool   // is_global
	Index    int    // sgid_index
	Entries  int    // of the GID table
	GID      func(index int) (gid [16]byte, known bool)
}

// maxEntries is how many entries of a GID table are looked at.
const maxEntries = 256

// Route explains a path that a device refused.
func Route(errno syscall.Errno, p Path) (hints []string) {
	if p.Ethernet && !p.Global {
		hints = append(hints, fmt.Sprintf("port %d is Ethernet, which needs a global route (GRH); set IsGlobal, DGID and SGIDIndex", p.Port))
	}
	if p.Global {
		if hint := p.source(); hint != "" {
			hints = append(hints, hint)
		}
	}
	if !p.Active && errno != ErrnoNoData {
		hints = append(hints, fmt.Sprintf("port %d is %s, not ACTIVE; bring its link up", p.Port, p.State))
	}
	return hints
}

// source says what is wrong with the index of the local GID, and which entries there are.
func (p Path) source() string {
	what := fmt.Sprintf("entry %d of the GID table of port %d, SGIDIndex, ", p.Index, p.Port)
	if p.Index >= p.Entries {
		what += fmt.Sprintf("does not exist (it has %d)", p.Entries)
	} else if gid, known := p.GID(p.Index); known && gid != [16]byte{} {
		return ""
	} else {
		what += "is empty"
	}
	var have []string
	for i := range min(p.Entries, maxEntries) {
		gid, known := p.GID(i)
		if !known {
			break
		}
		if gid == [16]byte{} {
			continue
		}
		if len(have) == mostNamed {
			have = append(have, "...")
			break
		}
		have = append(have, fmt.Sprintf("%d: %v", i, netip.AddrFrom16(gid).Unmap()))
	}
	if len(have) == 0 {
		return what + "; no entry has a GID yet: give its network interface an address"
	}
	return what + "; use one of " + strings.Join(have, ", ")
}
