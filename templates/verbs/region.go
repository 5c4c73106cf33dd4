//go:build ignore

//verbsgen:with MR
//verbsgen:field MR region dpath.Place // where elements of requests point

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// place stores where the region is, from which elements are made. Addresses in it begin at start; unknown says why they may not.
func (mr *MR) place(start uint64, unknown string) {
	mr.region.Set(dpath.Region{Start: start, Length: mr.length, LKey: mr.lkey, Unknown: unknown})
}

// Remote returns what a peer needs in its requests to reach the region: the address of its first byte and the
// key. It works for memory of the program, with or without an iova, for device memory and for DMA-bufs. It returns syscall.EINVAL if the
// address is not known, because the region was imported without Locate or registered with ZERO_BASED. After Close it returns os.ErrClosed.
func (mr *MR) Remote() (addr uint64, rkey uint32, err error) {
	first, err := mr.SGE(0, 0)
	if err != nil {
		return 0, 0, err
	}
	return first.Addr, mr.RKey(), nil
}

// IOVA returns the address of the first byte in work requests: the iova if the region was registered with an iova, 0 in a zero-based
// region, otherwise the address of the memory. It returns 0 if Remote returns an error.
func (mr *MR) IOVA() uint64 { return object.OrZero(mr).region.Start() }

// SGE returns the element of a work request for n bytes of the region, beginning at offset off from its first
// byte. It returns syscall.EFAULT for bytes beyond the end, and syscall.EINVAL for 4 GiB or more, and for a region whose start or end is
// not known, because it was imported without Locate or registered with ZERO_BASED, which some devices ignore. After Close it returns
// os.ErrClosed. SGE allocates only if it fails.
func (mr *MR) SGE(off, n uint64) (dpath.SGE, error) {
	if mr == nil {
		return dpath.SGE{}, fail.NilHandle("", "MR")
	}
	return mr.region.SGE(off, n)
}

// UncheckedSGE is SGE without the check of the bounds, for programs that measured its cost. It adds off to
// IOVA. After Close the element has the key 0, which no region has.
func (mr *MR) UncheckedSGE(off uint64, n uint32) dpath.SGE {
	return object.OrZero(mr).region.UncheckedSGE(off, n)
}
