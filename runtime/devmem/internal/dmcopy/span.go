package dmcopy

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Span is a device's memory mapping, for as long as it is open. The zero value is closed. Copies run beside each other and
// beside Close.
type Span struct {
	length uint64         // bytes that may be accessed, a multiple of Granule; 0 when closed. The assembly reads it.
	base   unsafe.Pointer // first byte, memory of the provider; it stays when the span is closed
}

// Open lets copies access length bytes at base, a multiple of Granule.
func (s *Span) Open(base unsafe.Pointer, length uint64) {
	s.base = base
	atomic.StoreUint64(&s.length, length)
}

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
