package devmem

// Why unsafe: the assembly of a copy is given the span, with which a DM begins, and goes on in Go with the same address, that of the DM;
// a nil DM is a nil span. What keeps it sound: the span is the first field, which is checked below.

import (
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

const granule = dmcopy.Granule

// Mode is how the bytes of a device memory are reached.
type Mode uint8

const (
	Detached Mode = iota // not attached, or closed: every copy is an error
	Direct4              // from Go, in accesses of four bytes to the provider's mapping
	Shim                 // by the provider's callbacks, one crossing into C for each copy
	Refused              // not at all: every copy answers why
)

// String returns "direct4", "shim", "refused" or "detached".
func (m Mode) String() string {
	switch m {
	case Direct4:
		return "direct4"
	case Shim:
		return "shim"
	case Refused:
		return "refused"
	}
	return "detached"
}

// DM copies to and from one device memory. The zero value is detached. It is a field of a generated handle and must
// not be copied after Attach: a copy refuses all. Copies may run concurrently, also with End; nothing may run beside Attach.
//
// Nothing happens to the memory when a DM becomes unreachable (handles have no finalizers), so no copy has to keep it
// alive.
type DM struct {
	span dmcopy.Span // the mapping; closed in every mode but Direct4
	gate gate.Gate   // struct ibv_dm *, memory of the provider; closed when detached

	// What Attach decided. It stays when the gate is closed, so that copies may look at it at any time.
	length  uint64
	known   bool
	mode    Mode
	refused *refusal

	// Removed adds to an error that the device was removed; it may be nil. It is set before Attach.
	Removed func(error) error
}

const _ = -unsafe.Offsetof(DM{}.span) // DM begins with it: any other constant is out of range

func (d *DM) mapping() *dmcopy.Span { return (*dmcopy.Span)(unsafe.Pointer(d)) }

// Copies are inlined into programs, through a method of the generated package: results that are assigned by name are cheaper for the
// compiler's judgement than those of a return of a call, which would be too expensive.

func init() { dmcopy.Rest.Write, dmcopy.Rest.Read = writeRest, readRest }

// WriteAt copies p to the device memory from byte off: ibv_memcpy_to_dm, see ibv_alloc_dm(3).
//
// It is like the method of io.WriterAt, but never writes only a part: n is len(p) or 0. A range beyond the end is
// EFAULT, an offset or length that is no multiple of 4 is EINVAL (in mode Shim the provider decides about that), a copy
// after Close is os.ErrClosed. p may have any alignment and lie on the stack; it is not kept. Nothing is allocated,
// also not for an error. Call Flush after the last write.
func (d *DM) WriteAt(p []byte, off int64) (n int, err error) {
	if dmcopy.Race {
		dmcopy.HostRead(p)
	}
	n, err = dmcopy.WriteAt(d.mapping(), p, off)
	return
}

// ReadAt copies len(p) bytes of the device memory, from byte off, to p: ibv_memcpy_from_dm, see ibv_alloc_dm(3). It is
// like the method of io.ReaderAt, but never returns io.EOF and never reads only a part; errors are those of WriteAt.
func (d *DM) ReadAt(p []byte, off int64) (n int, err error) {
	if dmcopy.Race {
		dmcopy.HostWritten(p)
	}
	n, err = dmcopy.ReadAt(d.mapping(), p, off)
	return
}

// PutUint32 writes v at byte off with one store of four bytes, in the byte order of the processor. Errors are those of
// WriteAt.
func (d *DM) PutUint32(off int64, v uint32) error { return dmcopy.Put32(d.mapping(), off, v) }

// GetUint32 reads the four bytes at byte off with one load, in the byte order of the processor. Errors are those of
// ReadAt.
func (d *DM) GetUint32(off int64) (v uint32, err error) {
	v, err = dmcopy.Get32(d.mapping(), off)
	return
}

// PutUint64 writes v at byte off, a multiple of 4, in the byte order of the processor. It is WriteAt of eight bytes: where the device takes
// words of four bytes, who reads meanwhile may see one half. Errors are those of WriteAt.
func (d *DM) PutUint64(off int64, v uint64) error { return dmcopy.Put64(d.mapping(), off, v) }

// GetUint64 reads the eight bytes at byte off, a multiple of 4, in the byte order of the processor. It is ReadAt of eight bytes: the halves
// may be of different writes. Errors are those of ReadAt.
func (d *DM) GetUint64(off int64) (v uint64, err error) {
	v, err = dmcopy.Get64(d.mapping(), off)
	return
}

// Flush orders all writes of the calling goroutine before everything that it does afterwards: SFENCE on amd64, DSB ST
// on arm64. Device memory is usually mapped write-combining, and the copies do not flush. Call Flush after the last
// write and before anything by which others learn of it: a post on another provider, a message, another thread.
func (d *DM) Flush() {
	if dmcopy.Available {
		dmcopy.Flush()
		return
	}
	fence()
}

// Mode returns how the bytes are reached. It is Detached from the beginning of End, and in a copy.
func (d *DM) Mode() Mode {
	if d == nil || !d.gate.IsOpen() {
		return Detached
	}
	return d.mode
}

// Length returns the number of bytes, if it is known. For imported device memory only the provider knows it.
func (d *DM) Length() (bytes uint64, known bool) {
	if d == nil {
		return 0, false
	}
	return d.length, d.known
}

// writeRest makes the writes that are not short and direct, and finds out what is wrong with the others.
func writeRest(s *dmcopy.Span, p []byte, off int64, wide bool) (int, error) {
	d := (*DM)(unsafe.Pointer(s))
	if !d.shimHas(off, len(p)) {
		if err := d.check(writing, off, len(p)); err != nil {
			return 0, err
		}
		if d.mode == Direct4 {
			if err := dmcopy.Write(s, p, off, wide); err != nil {
				return 0, err
			}
			return len(p), nil
		}
	}
	if code := shimWrite(&d.gate, uint64(off), p); code != 0 {
		return 0, d.removed(writing.failed(code, uint64(off), len(p)))
	}
	return len(p), nil
}

const (
	// longRead is the length from which a read of unproven speed goes through the provider: a mapping behind a bus may
	// take a microsecond for each granule, and in C that time does not keep other goroutines from running.
	longRead = 1024
	// quickRead is the time for a granule up to which a mapping counts as fast as memory. Cached memory takes less than
	// half a nanosecond, a bus some hundreds.
	quickRead = 16 * time.Nanosecond
)

// readRest is writeRest for reads.
func readRest(s *dmcopy.Span, p []byte, off int64, wide bool) (int, error) {
	d := (*DM)(unsafe.Pointer(s))
	if !d.shimHas(off, len(p)) {
		if err := d.check(reading, off, len(p)); err != nil {
			return 0, err
		}
		if d.mode == Direct4 {
			return d.readDirect(p, off, wide)
		}
	}
	if code := shimRead(&d.gate, uint64(off), p); code != 0 {
		return 0, d.removed(reading.failed(code, uint64(off), len(p)))
	}
	return len(p), nil
}

// shimHas reports whether a copy is one of a few bytes more than none that the provider is known to have room for: nearly every copy in
// mode Shim is. The provider looks at its alignment.
func (d *DM) shimHas(off int64, n int) bool {
	return d != nil && d.mode == Shim && uint64(off) < d.length && uint64(n) <= d.length-uint64(off) && d.gate.IsOpen()
}

// readDirect makes a read that is not short. One of unproven speed that is long goes through the provider, unless it is to be wide, and
// is timed: a copy takes longer than it must when the thread is held up, but never shorter, so one quick copy proves the mapping quick.
func (d *DM) readDirect(p []byte, off int64, wide bool) (n int, err error) {
	timed := len(p) >= longRead && !d.span.IsQuick()
	var begin time.Time
	if timed {
		begin = time.Now()
	}
	switch {
	case timed && !wide:
		if code := shimRead(&d.gate, uint64(off), p); code != 0 {
			return 0, d.removed(reading.failed(code, uint64(off), len(p)))
		}
	case d.span.IsQuick():
		err = dmcopy.Read(&d.span, p, off, dmcopy.Chunk, wide)
	default:
		err = dmcopy.Read(&d.span, p, off, dmcopy.ReadChunk, wide)
	}
	if err != nil {
		return 0, err
	}
	if timed && time.Since(begin) <= quickRead*time.Duration(len(p)/granule) {
		d.span.Quick()
	}
	return len(p), nil
}

// removed is for the error of a copy that the provider did not make.
func (d *DM) removed(err error) error {
	if d == nil || d.Removed == nil {
		return err
	}
	return d.Removed(err)
}

// check answers what keeps a copy from being made, nil when nothing does.
func (d *DM) check(dir *direction, off int64, n int) error {
	if d == nil {
		return dir.none
	}
	if !d.gate.IsOpen() {
		return dir.failed(int(d.gate.Refusal()), 0, 0)
	}
	if d.mode != Direct4 && d.mode != Shim {
		return d.unusable(dir)
	}
	// Without the length the provider may not be able to check either, so the rule all known providers have is kept.
	aligned := d.mode == Direct4 || !d.known
	switch judge(off, uint64(n), d.length, d.known, aligned) {
	case negative:
		return dir.negative
	case beyond:
		return dir.beyond
	case unknown:
		return dir.unknown
	case odd:
		return dir.odd
	}
	if n > 0 && d.mode == Direct4 && !d.span.IsOpen() { // a copy would come back here without end
		return dir.detached
	}
	return nil
}

func (d *DM) unusable(dir *direction) *verr.Error {
	if dir == reading {
		return d.refused.read
	}
	return d.refused.write
}
