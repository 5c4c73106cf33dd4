package dpath

import (
	"fmt"
	"math"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// SGE is struct ibv_sge: a piece of registered memory that a request sends from or receives into.
type SGE struct {
	Addr   uint64 // addr: address, or offset in a zero-based region
	Length uint32 // length: bytes
	LKey   uint32 // lkey: local key of the region
}

// Region is what elements need of a memory region.
type Region struct {
	// Start is what addresses in requests count from: the address of the memory, 0 in a zero-based region, and the iova of a
	// region that was registered with one.
	Start  uint64
	Length uint64 // bytes
	LKey   uint32
	// Unknown says why Start or Length is not known; it is empty when both are.
	Unknown string

	closed fmt.Stringer // the name of a region that was closed; nil while it is open
}

// refuse returns the error of an element that cannot be given.
func (r *Region) refuse(off, n uint64) error {
	refused := func(errno syscall.Errno, format string, args ...any) error {
		return &verr.Error{Errno: errno, Refused: true, Msg: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.closed != nil:
		return fail.Closed("", r.closed.String())
	case r == &noRegion:
		return fail.Copied("", "MR")
	case r.Unknown != "":
		return refused(syscall.EINVAL, "%d bytes at offset %d of a memory region: %s; use UncheckedSGE, or IOVA for a peer", n, off, r.Unknown)
	case off > r.Length || n > r.Length-off:
		return refused(syscall.EFAULT, "%d bytes at offset %d lie beyond the end of the memory region, which has %d", n, off, r.Length)
	}
	return refused(syscall.EINVAL, "an element of %d bytes: its length has 32 bits; divide it among several", n)
}

// Place is where the memory region of a handle lies at present: it may be changed while other goroutines make elements of it. The
// zero value must be Set before it is used. A copy is of no use, like a zero value: SGE fails, and UncheckedSGE has no valid key.
type Place struct {
	now atomic.Pointer[Region]
	at  *Place // the place itself, set by the first Set: another address in a copy, which no Close would reach
}

// noRegion is what a copy of a Place has, and one that was never Set.
var noRegion = Region{Unknown: "it is a copy"}

// Set changes where the region lies. The first Set comes before any other use.
func (p *Place) Set(r Region) {
	if p.at == nil {
		p.at = p
	}
	p.now.Store(&r)
}

// region returns the region as it is now.
func (p *Place) region() *Region {
	if p.at != p {
		return &noRegion
	}
	return p.now.Load()
}

// Close ends the use of the region, which name names in errors. Later elements have no valid key.
func (p *Place) Close(name fmt.Stringer) {
	p.Set(Region{Start: p.Start(), Unknown: "it is closed", closed: name})
}

// Start returns what addresses in requests count from.
func (p *Place) Start() uint64 { return p.region().Start }

// SGE returns the element for n bytes of the region as it is now, from offset off on. They must lie within the region (EFAULT), and be
// fewer than 4 GiB (EINVAL). Where the region begins and ends must be known (EINVAL). The error of a closed one is os.ErrClosed.
func (p *Place) SGE(off, n uint64) (SGE, error) {
	if p.at == nil {
		return SGE{}, fail.NeverOpened("", "MR")
	}
	r := p.region()
	if off > r.Length || n > r.Length-off || n > math.MaxUint32 || r.Unknown != "" {
		return SGE{}, r.refuse(off, n)
	}
	return SGE{r.Start + off, uint32(n), r.LKey}, nil
}

// UncheckedSGE is SGE without a look at the bounds. An element of a closed region has the key 0, which no region has.
func (p *Place) UncheckedSGE(off uint64, n uint32) SGE {
	r := p.region()
	return SGE{r.Start + off, n, r.LKey}
}

// Locate says where a region lies that was made elsewhere. It reports false for any other region, and for one that has been told.
func (p *Place) Locate(start, length uint64) bool {
	old := p.region()
	if old.Unknown != Elsewhere {
		return false
	}
	return p.now.CompareAndSwap(old, &Region{Start: start, Length: length, LKey: old.LKey})
}

// Elsewhere is why the start and the length of a region are not known that another process made.
const Elsewhere = "it was made elsewhere, and nobody said here where it begins and how long it is; say so by MR.Locate"

// Vague says why the start of a region is not known: its access flags have the bit of ZERO_BASED. Otherwise it is empty.
func Vague(access, zeroBased uint64) string {
	if access&zeroBased == 0 {
		return ""
	}
	return "it was registered with ZERO_BASED, and it depends on the device whether its addresses begin at 0; register it with an " +
		"iova of 0 instead"
}

// Renew changes the length and the key of a region that stays where it is.
func (p *Place) Renew(length uint64, lkey uint32) {
	r := *p.region()
	r.Length, r.LKey = length, lkey
	p.Set(r)
}
