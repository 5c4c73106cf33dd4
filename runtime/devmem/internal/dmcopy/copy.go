package dmcopy

import "unsafe"

const (
	// Granule is the width of an access, and what offsets and lengths are multiples of.
	Granule = 4
	// WriteChunk is the number of bytes written between two points where the scheduler can stop the goroutine.
	WriteChunk = 4096
	// ReadChunk is the same for reads: each may take a round trip to the device.
	ReadChunk = 256
)

// Outcome is how a copy went.
type Outcome uint8

const (
	Copied Outcome = iota
	Closed         // the span is closed: nothing was accessed any more
	Beyond         // the range does not lie within the span
)

// Write copies src to the mapping, beginning at byte off of it. off and len(src) are multiples of Granule; src may have any
// alignment. When it is not Copied, a part may have been.
func Write(dst *Span, off uint64, src []byte) Outcome {
	for len(src) > WriteChunk {
		if how := writeChunk(dst, off, src[:WriteChunk]); how != Copied {
			return how
		}
		off += WriteChunk
		src = src[WriteChunk:]
	}
	return writeChunk(dst, off, src)
}

// Read copies from byte off of the mapping to dst, in pieces of chunk bytes. off, len(dst) and chunk are multiples of Granule;
// dst may have any alignment. ReadChunk is the chunk for a mapping of unknown speed. The result is as of Write.
func Read(dst []byte, src *Span, off uint64, chunk int) Outcome {
	for len(dst) > chunk {
		if how := readChunk(dst[:chunk], src, off); how != Copied {
			return how
		}
		off += uint64(chunk)
		dst = dst[chunk:]
	}
	return readChunk(dst, src, off)
}

// writeChunk is not inlined: its stack check is the preemption point.
//
//go:noinline
func writeChunk(dst *Span, off uint64, src []byte) Outcome { return WriteSmall(dst, off, src) }

//go:noinline
func readChunk(dst []byte, src *Span, off uint64) Outcome { return ReadSmall(dst, src, off) }

// WriteSmall is Write in one piece, for at most WriteChunk bytes: it is inlined, its preemption point is the caller's.
func WriteSmall(dst *Span, off uint64, src []byte) Outcome {
	HostRead(src)
	return store4(dst, off, unsafe.Pointer(unsafe.SliceData(src)), uint64(len(src)))
}

// ReadSmall is Read in one piece.
func ReadSmall(dst []byte, src *Span, off uint64) Outcome {
	HostWritten(dst)
	return load4(unsafe.Pointer(unsafe.SliceData(dst)), src, off, uint64(len(dst)))
}
