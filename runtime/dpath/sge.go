package dpath

import (
	"fmt"
	"math"
	"syscall"

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
}

// SGE gives the element for n bytes of the region from offset off on. They must lie within the region (EFAULT), and be fewer than
// 4 GiB (EINVAL).
func (r Region) SGE(off, n uint64) (SGE, error) {
	if off > r.Length || n > r.Length-off {
		return SGE{}, &verr.Error{Errno: syscall.EFAULT, Refused: true,
			Msg: fmt.Sprintf("%d bytes at offset %d lie beyond the end of the memory region, which has %d", n, off, r.Length)}
	}
	if n > math.MaxUint32 {
		return SGE{}, &verr.Error{Errno: syscall.EINVAL, Refused: true,
			Msg: fmt.Sprintf("an element of %d bytes: its length has 32 bits; divide it among several", n)}
	}
	return SGE{r.Start + off, uint32(n), r.LKey}, nil
}

// UncheckedSGE is SGE without a look at the bounds.
func (r Region) UncheckedSGE(off uint64, n uint32) SGE { return SGE{r.Start + off, n, r.LKey} }
