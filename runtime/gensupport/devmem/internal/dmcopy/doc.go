// Package dmcopy moves bytes between host memory and a device's memory mapping, four bytes at a time, or with wider accesses when asked.
//
// It owns the machine instructions, the checks before them, the size of the pieces in which a long copy is made, and the end of a mapping
// (Span). It must not know verbs, handles or errors: a copy that the instructions do not make is made by Rest.
//
// # Why assembly
//
// The width and the number of accesses to a mapping are visible to the device. A provider promises whole, naturally
// aligned granules of four bytes, in ascending order, each accessed once, and so do the copies that are not Wide. Go does not: copy may
// write bytes twice, go backward or use string instructions; plain stores may be merged, dropped or moved by the
// compiler; and sync/atomic stores are locked exchanges on amd64, which read the device and lock the bus.
//
// The checks are in the assembly too, so that a short copy is one call of it, inlined down to the program: half of the time of a copy
// of 64 bytes was calls.
//
// # What keeps it sound
//
// A Span has the mapping as an unsafe.Pointer to memory that Go did not allocate, and the host side is a slice,
// so the collector sees and keeps it. Assembly has no preemption point and is invisible to the race detector. So a
// copy is cut into pieces, each made by a call of a Go function with a stack check (Chunk and ReadChunk bytes long: a
// write is posted, a read waits for the device), and the host slice is reported to the detector by hand.
//
// The package could go if Go offered volatile accesses of a given width.
package dmcopy
