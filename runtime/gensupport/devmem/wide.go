package devmem

import "github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"

// Wide makes the copies of a DM with wider accesses. DM.Wide returns it; the zero value is that of a nil DM.
//
// In mode Direct4 each byte of the mapping is accessed once, in ascending order, as in the copies of DM, but by accesses of 4 to 32 bytes
// (amd64: SSE2, and AVX where the processor has it; arm64: pairs of 8 bytes), which need not be aligned to their own width. That is
// several times as fast from 64 bytes on where the mapping is quick, and a device behind a bus sees fewer reads.
//
// What it gives up: a provider copies by words of four bytes, and no provider promises that a device takes other accesses. Whoever
// reads meanwhile, the device or another processor, may see any mixture of old and new bytes, not of old and new words. Use it where
// the device was seen to take it; it was measured over host memory only. Where the mapping is not write-combining but strictly ordered,
// accesses that are not aligned may end the program (arm64: SIGBUS).
//
// In the other modes, and on other processors, a copy is that of DM.
type Wide struct{ dm *DM }

// Wide returns the copies of d with wider accesses: see the type.
func (d *DM) Wide() Wide { return Wide{d} }

// WriteAt is DM.WriteAt with wider accesses.
func (w Wide) WriteAt(p []byte, off int64) (n int, err error) {
	if dmcopy.Race {
		dmcopy.HostRead(p)
	}
	n, err = dmcopy.WriteWide(w.dm.mapping(), p, off)
	return
}

// ReadAt is DM.ReadAt with wider accesses. In mode Direct4 no read goes through the provider.
func (w Wide) ReadAt(p []byte, off int64) (n int, err error) {
	if dmcopy.Race {
		dmcopy.HostWritten(p)
	}
	n, err = dmcopy.ReadWide(w.dm.mapping(), p, off)
	return
}
