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

// Write copies src to the mapping at dst. dst and len(src) are multiples of Granule; src may have any alignment.
func Write(dst unsafe.Pointer, src []byte) {
	for len(src) > WriteChunk {
		writeChunk(dst, src[:WriteChunk])
		dst = unsafe.Add(dst, WriteChunk)
		src = src[WriteChunk:]
	}
	writeChunk(dst, src)
}

// Read copies from the mapping at src to dst, in pieces of chunk bytes. src, len(dst) and chunk are multiples of Granule;
// dst may have any alignment. ReadChunk is the chunk for a mapping of unknown speed.
func Read(dst []byte, src unsafe.Pointer, chunk int) {
	for len(dst) > chunk {
		readChunk(dst[:chunk], src)
		src = unsafe.Add(src, chunk)
		dst = dst[chunk:]
	}
	readChunk(dst, src)
}

// writeChunk is not inlined: its stack check is the preemption point.
//
//go:noinline
func writeChunk(dst unsafe.Pointer, src []byte) { WriteSmall(dst, src) }

//go:noinline
func readChunk(dst []byte, src unsafe.Pointer) { ReadSmall(dst, src) }

// WriteSmall is Write in one piece, for at most WriteChunk bytes: it is inlined, its preemption point is the caller's.
func WriteSmall(dst unsafe.Pointer, src []byte) {
	HostRead(src)
	store4(dst, unsafe.Pointer(unsafe.SliceData(src)), uintptr(len(src)))
}

// ReadSmall is Read in one piece.
func ReadSmall(dst []byte, src unsafe.Pointer) {
	HostWritten(dst)
	load4(unsafe.Pointer(unsafe.SliceData(dst)), src, uintptr(len(dst)))
}
