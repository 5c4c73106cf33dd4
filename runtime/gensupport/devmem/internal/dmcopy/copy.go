package dmcopy

//lint:file-ignore U1000 the assembly calls the functions whose names end in Slow

import (
	"encoding/binary"
	"unsafe"
)

const (
	// Granule is the width of an access, and what offsets and lengths are multiples of.
	Granule = 4
	// Chunk is the number of bytes written between two points where the scheduler can stop the goroutine. The assembly has it too.
	Chunk = 4096
	// ReadChunk is the same for reads of a mapping whose speed is not known: each load may take a round trip to the device.
	ReadChunk = 256
)

// Rest makes the copies that are not short and direct, and returns the errors of those that cannot be made. The package that owns the
// spans sets it. p is not kept: it may lie on the stack.
var Rest struct {
	Write, Read func(s *Span, p []byte, off int64, wide bool) (n int, err error)
}

// Write copies p to the mapping, beginning at byte off of it, in pieces between which the goroutine can be stopped. off and len(p) are
// multiples of Granule. If it returns an error, a part may have been copied.
func Write(s *Span, p []byte, off int64, wide bool) error {
	for len(p) > 0 {
		n, err := writeChunk(s, p[:min(len(p), Chunk)], off, wide)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// Read copies from byte off of the mapping to p, in pieces of chunk bytes, at most those that the span has read at once.
func Read(s *Span, p []byte, off int64, chunk int, wide bool) error {
	for len(p) > 0 {
		n, err := readChunk(s, p[:min(len(p), chunk)], off, wide)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// writeChunk is not inlined: its stack check is the preemption point.
//
//go:noinline
func writeChunk(s *Span, p []byte, off int64, wide bool) (int, error) {
	if wide {
		return WriteWide(s, p, off)
	}
	return WriteAt(s, p, off)
}

//go:noinline
func readChunk(s *Span, p []byte, off int64, wide bool) (int, error) {
	if wide {
		return ReadWide(s, p, off)
	}
	return ReadAt(s, p, off)
}

// The assembly goes on in these.

func writeSlow(s *Span, p []byte, off int64) (n int, err error) {
	return Rest.Write(s, unkept(p), off, false)
}

func readSlow(s *Span, p []byte, off int64) (n int, err error) {
	return Rest.Read(s, unkept(p), off, false)
}

func writeWideSlow(s *Span, p []byte, off int64) (n int, err error) {
	return Rest.Write(s, unkept(p), off, true)
}

func readWideSlow(s *Span, p []byte, off int64) (n int, err error) {
	return Rest.Read(s, unkept(p), off, true)
}

func put32Slow(s *Span, off int64, v uint32) (err error) {
	var b [4]byte
	binary.NativeEndian.PutUint32(b[:], v)
	_, err = Rest.Write(s, unkept(b[:]), off, false)
	return err
}

func put64Slow(s *Span, off int64, v uint64) (err error) {
	var b [8]byte
	binary.NativeEndian.PutUint64(b[:], v)
	_, err = Rest.Write(s, unkept(b[:]), off, false)
	return err
}

func get32Slow(s *Span, off int64) (v uint32, err error) {
	var b [4]byte
	if _, err = Rest.Read(s, unkept(b[:]), off, false); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint32(b[:]), nil
}

func get64Slow(s *Span, off int64) (v uint64, err error) {
	var b [8]byte
	if _, err = Rest.Read(s, unkept(b[:]), off, false); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint64(b[:]), nil
}

// unkept returns p without the compiler concluding that p must lie on the heap, as it would for a call by a variable: Rest does not keep
// it. The address is a pointer again at once, so that it follows a stack that moves.
func unkept(p []byte) []byte {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), len(p))
}
