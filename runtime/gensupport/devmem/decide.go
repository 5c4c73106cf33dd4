package devmem

import (
	"path/filepath"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"
)

// place is where in the process an address lies.
type place struct {
	addr   uintptr // 0 for a NULL pointer
	object uintptr // identity of the loaded object around it
	found  bool    // lies in a loaded object
	code   bool    // and there in code
	name   string  // path of that object, empty for the main program
}

func (p place) String() string {
	switch {
	case !p.found:
		return "no loaded object"
	case p.name == "":
		return "the main program"
	}
	return p.name
}

// facts is what is known about the provider of a device memory before it is asked anything.
type facts struct {
	hasContext bool
	op         place // alloc_dm of the context
	to, from   place // the callbacks
	mana       bool  // the op's object exports what only MANA's provider exports
}

// mapping is the provider's answer to the question where the memory is mapped.
type mapping struct {
	base   uintptr
	length uint64 // 0 when the provider did not tell
}

// distrust returns the reason why the callbacks must not be called, or nothing. Each reason says what it was decided by.
func distrust(f facts) string {
	switch {
	case !f.hasContext:
		return "its context has no table of ops to find its provider by, so its copy callbacks cannot be trusted"
	case f.op.addr == 0:
		return "its context has no op alloc_dm to find its provider by, so its copy callbacks cannot be trusted"
	case !f.op.found:
		return "the op alloc_dm of its context lies in no loaded object, so its copy callbacks cannot be trusted"
	case f.mana || isMANA(f.op.name):
		return "the provider leaves the copy callbacks of device memory uninitialised: MANA, as told by " +
			"the object that holds the op alloc_dm, " + f.op.String()
	case f.to.addr == 0 && f.from.addr == 0:
		return "the processor cannot reach this device memory: the provider (" + f.op.String() +
			") set no copy callbacks, as it is with SW_ICM memory of mlx5"
	}
	for _, c := range []struct {
		name string
		at   place
	}{{"memcpy_to_dm", f.to}, {"memcpy_from_dm", f.from}} {
		switch {
		case c.at.addr == 0:
			return "the provider (" + f.op.String() + ") did not set the callback " + c.name
		case !c.at.found || c.at.object != f.op.object:
			return "the callback " + c.name + " lies in " + c.at.String() + ", but the op alloc_dm in " +
				f.op.String() + ": the provider did not set it"
		case !c.at.code:
			return "the callback " + c.name + " points to data of " + c.at.String() + ": the provider did not set it"
		}
	}
	return ""
}

// isMANA knows MANA's provider by the name of its file: libmana.so.1, libmana-rdmav34.so.
func isMANA(path string) bool {
	name, ok := strings.CutPrefix(filepath.Base(path), "libmana")
	return ok && (name == "" || name[0] == '.' || name[0] == '-')
}

// adopt decides how a trusted device memory is reached, and how many bytes of its mapping are, 0 for none. The provider's own
// length wins over the caller's.
func (d *DM) adopt(length uint64, known bool, m mapping) (direct uint64) {
	if m.length != 0 {
		length, known = m.length, true
	}
	if !known {
		length = 0
	}
	d.length, d.known, d.mode = length, known, Shim
	if !dmcopy.Available || m.base == 0 || m.base%granule != 0 || !known || length < granule {
		return 0
	}
	if length > maxMapping || uint64(m.base) > ^uint64(0)-length {
		return 0
	}
	d.mode = Direct4
	return length - length%granule
}

// maxMapping bounds what is believed to be mapped: user addresses have 56 bits at most.
const maxMapping = 1 << 56
