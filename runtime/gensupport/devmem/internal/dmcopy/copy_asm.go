//go:build amd64 || arm64

package dmcopy

// Available says that this build has the instructions; without them all copies are those of Rest.
const Available = true

// WriteAt copies p to the mapping from byte off on in ascending order, each granule by one store of four bytes. p may have any
// alignment. A copy of more than Chunk bytes, or one that the span does not have room for, is made by Rest.Write.
//
//go:noescape
func WriteAt(s *Span, p []byte, off int64) (n int, err error)

// ReadAt copies from byte off of the mapping to p in ascending order, each granule by one load of four bytes. A copy that is longer than
// the span has read at once, or that the span does not have, is made by Rest.Read.
//
//go:noescape
func ReadAt(s *Span, p []byte, off int64) (n int, err error)

// WriteWide is WriteAt with the widest stores that fit, each byte once and in ascending order.
//
//go:noescape
func WriteWide(s *Span, p []byte, off int64) (n int, err error)

// ReadWide is ReadAt with the widest loads that fit.
//
//go:noescape
func ReadWide(s *Span, p []byte, off int64) (n int, err error)

// Put32 is WriteAt of the four bytes of v, in the order of the processor.
//
//go:noescape
func Put32(s *Span, off int64, v uint32) (err error)

// Put64 is WriteAt of the eight bytes of v, in the order of the processor.
//
//go:noescape
func Put64(s *Span, off int64, v uint64) (err error)

// Get32 is ReadAt of four bytes.
//
//go:noescape
func Get32(s *Span, off int64) (v uint32, err error)

// Get64 is ReadAt of eight bytes.
//
//go:noescape
func Get64(s *Span, off int64) (v uint64, err error)

// Flush orders all stores of this processor to a write-combining mapping before anything after it: SFENCE, DSB ST.
func Flush()
