package dmcopy

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Span is a device's memory mapping, for as long as it is open. The zero value is closed, and so is a copy. Copies of bytes run beside each
// other and beside Close. The assembly reads the fields.
type Span struct {
	length uint64         // bytes that may be accessed, a multiple of Granule; 0 when closed
	base   unsafe.Pointer // first byte, memory of the provider; it stays when the span is closed
	self   *Span          // the span itself, once it was opened
	more   uint64         // bytes beyond a granule that are read in one piece
}

var _ [32 - unsafe.Sizeof(Span{})]struct{} // as in the assembly: four words

// Open lets copies access length bytes at base, a multiple of Granule. Reads are in pieces of ReadChunk bytes.
func (s *Span) Open(base unsafe.Pointer, length uint64) {
	s.base, s.self = base, s
	atomic.StoreUint64(&s.more, ReadChunk-Granule)
	atomic.StoreUint64(&s.length, length)
}

// Quick has reads in pieces of Chunk bytes from now on: they were seen to cost what host memory costs.
func (s *Span) Quick() { atomic.StoreUint64(&s.more, Chunk-Granule) }

// IsQuick reports whether Quick was called since the span was opened.
func (s *Span) IsQuick() bool { return atomic.LoadUint64(&s.more) == Chunk-Granule }

// IsOpen reports whether bytes may be accessed.
func (s *Span) IsOpen() bool { return atomic.LoadUint64(&s.length) != 0 }

// Close ends all access, and returns the length that Reopen takes back. When it has returned, no copy that began before is
// still running, and the mapping may go.
func (s *Span) Close() (length uint64) {
	length = atomic.SwapUint64(&s.length, 0)
	if length != 0 {
		stopTheWorld()
	}
	return length
}

// Reopen takes a Close back.
func (s *Span) Reopen(length uint64) { atomic.StoreUint64(&s.length, length) }

// stopTheWorld lets every goroutine come to a point where it can be stopped, which is outside of the assembly. The stacks are not asked
// for: the stop is what counts, and TestStop notices when a release of Go does without it.
func stopTheWorld() { runtime.Stack(nil, true) }
