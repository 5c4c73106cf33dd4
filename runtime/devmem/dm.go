package devmem

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/runtime/devmem/internal/dmcopy"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

const (
	granule = dmcopy.Granule
	// badOffset are the bits that no offset of a direct access has: the sign, and a part of a granule.
	badOffset = 1<<63 | (granule - 1)
)

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
	span  dmcopy.Span // the mapping; closed in every mode but Direct4
	gate  gate.Gate   // struct ibv_dm *, memory of the provider; closed when detached
	quick atomic.Bool // long reads may be made directly: they were seen to cost what host memory costs

	// What Attach decided. It stays when the gate is closed, so that copies may look at it at any time.
	shim    uint64 // length in mode Shim when it is known, else 0
	length  uint64
	known   bool
	mode    Mode
	refused *refusal
	direct  *DM // in mode Direct4 the DM itself: another address in a copy, which no End would close
}

// WriteAt copies p to the device memory from byte off: ibv_memcpy_to_dm, see ibv_alloc_dm(3).
//
// It is like the method of io.WriterAt, but never writes only a part: n is len(p) or 0. A range beyond the end is
// EFAULT, an offset or length that is no multiple of 4 is EINVAL (in mode Shim the provider decides about that), a copy
// after Close is os.ErrClosed. p may have any alignment and lie on the stack; it is not kept. Nothing is allocated,
// also not for an error. Call Flush after the last write.
func (d *DM) WriteAt(p []byte, off int64) (n int, err error) {
	o, size := uint64(off), uint64(len(p))
	// One chain for each mode, true for what nearly every call is: short and aligned; the assembly checks whether it is within the
	// memory. Everything else is sorted out in writeRest.
	if (size-granule)&^(dmcopy.WriteChunk-granule) == 0 && o&badOffset == 0 && d != nil && d.direct == d {
		if how := dmcopy.WriteSmall(&d.span, o, p); how != dmcopy.Copied {
			return 0, writing.of(how)
		}
		return len(p), nil
	}
	if d != nil && o < d.shim && size <= d.shim-o && d.gate.IsOpen() {
		dmcopy.HostRead(p)
		if code := shimWrite(&d.gate, o, p); code != 0 {
			return 0, writing.failed(code, o, len(p))
		}
		return len(p), nil
	}
	return d.writeRest(p, off)
}

// ReadAt copies len(p) bytes of the device memory, from byte off, to p: ibv_memcpy_from_dm, see ibv_alloc_dm(3). It is
// like the method of io.ReaderAt, but never returns io.EOF and never reads only a part; errors are those of WriteAt.
func (d *DM) ReadAt(p []byte, off int64) (n int, err error) {
	o, size := uint64(off), uint64(len(p))
	if (size-granule)&^(dmcopy.ReadChunk-granule) == 0 && o&badOffset == 0 && d != nil && d.direct == d {
		if how := dmcopy.ReadSmall(p, &d.span, o); how != dmcopy.Copied {
			return 0, reading.of(how)
		}
		return len(p), nil
	}
	if d != nil && o < d.shim && size <= d.shim-o && d.gate.IsOpen() {
		dmcopy.HostWritten(p)
		if code := shimRead(&d.gate, o, p); code != 0 {
			return 0, reading.failed(code, o, len(p))
		}
		return len(p), nil
	}
	return d.readRest(p, off)
}

// PutUint32 writes v at byte off with one store of four bytes, in the byte order of the processor. Errors are those of
// WriteAt.
func (d *DM) PutUint32(off int64, v uint32) error {
	if o := uint64(off); o&badOffset == 0 && d != nil && d.direct == d {
		if how := dmcopy.Store(&d.span, o, v); how != dmcopy.Copied {
			return writing.of(how)
		}
		return nil
	}
	var b [granule]byte
	binary.NativeEndian.PutUint32(b[:], v)
	_, err := d.writeRest(b[:], off)
	return err
}

// GetUint32 reads the four bytes at byte off with one load, in the byte order of the processor. Errors are those of
// ReadAt.
func (d *DM) GetUint32(off int64) (uint32, error) {
	if o := uint64(off); o&badOffset == 0 && d != nil && d.direct == d {
		v, how := dmcopy.Load(&d.span, o)
		if how != dmcopy.Copied {
			return 0, reading.of(how)
		}
		return v, nil
	}
	var b [granule]byte
	if _, err := d.readRest(b[:], off); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint32(b[:]), nil
}

// PutUint64 writes v at byte off, a multiple of 4, in the byte order of the processor. It is WriteAt of eight bytes: where the device takes
// words of four bytes, who reads meanwhile may see one half. Errors are those of WriteAt.
func (d *DM) PutUint64(off int64, v uint64) error {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	_, err := d.WriteAt(b[:], off)
	return err
}

// GetUint64 reads the eight bytes at byte off, a multiple of 4, in the byte order of the processor. It is ReadAt of eight bytes: the halves
// may be of different writes. Errors are those of ReadAt.
func (d *DM) GetUint64(off int64) (uint64, error) {
	var b [8]byte
	if _, err := d.ReadAt(b[:], off); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(b[:]), nil
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
//
//go:noinline
func (d *DM) writeRest(p []byte, off int64) (int, error) {
	if err := d.check(writing, off, len(p)); err != nil {
		return 0, err
	}
	if d.mode == Direct4 {
		if how := dmcopy.Write(&d.span, uint64(off), p); how != dmcopy.Copied {
			return 0, writing.of(how)
		}
		return len(p), nil
	}
	dmcopy.HostRead(p)
	if code := shimWrite(&d.gate, uint64(off), p); code != 0 {
		return 0, writing.failed(code, uint64(off), len(p))
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
//
//go:noinline
func (d *DM) readRest(p []byte, off int64) (int, error) {
	if err := d.check(reading, off, len(p)); err != nil {
		return 0, err
	}
	if d.mode == Direct4 && (len(p) < longRead || d.quick.Load()) {
		chunk := dmcopy.ReadChunk
		if len(p) >= longRead {
			chunk = dmcopy.WriteChunk // quick enough for pieces of that size
		}
		if how := dmcopy.Read(p, &d.span, uint64(off), chunk); how != dmcopy.Copied {
			return 0, reading.of(how)
		}
		return len(p), nil
	}
	dmcopy.HostWritten(p)
	code := d.timedRead(p, off)
	if code != 0 {
		return 0, reading.failed(code, uint64(off), len(p))
	}
	return len(p), nil
}

// timedRead reads through the provider. When the memory could be read directly it looks at the time that took: a copy
// takes longer than it must when the thread is held up, but never shorter, so one quick copy proves the mapping quick.
func (d *DM) timedRead(p []byte, off int64) int {
	if d.mode != Direct4 {
		return shimRead(&d.gate, uint64(off), p)
	}
	begin := time.Now()
	code := shimRead(&d.gate, uint64(off), p)
	if code == 0 && time.Since(begin) <= quickRead*time.Duration(len(p)/granule) {
		d.quick.Store(true)
	}
	return code
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
	return nil
}

func (d *DM) unusable(dir *direction) *verr.Error {
	if dir == reading {
		return d.refused.read
	}
	return d.refused.write
}
