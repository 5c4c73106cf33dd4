package devmem

import (
	"math"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/internal/dmcopy"
)

// Piece is one of the copies that WriteV and ReadV make: Len bytes at byte Off of the device memory, and from number At on in the slice.
type Piece struct {
	Off int64
	At  int
	Len int
}

// mostPieces is the number of pieces that one crossing into C copies at most: a Close waits for it.
const mostPieces = 64

// WriteV makes a copy from host to the device memory for each piece, in order, as WriteAt does: in mode Shim, with one crossing into C
// for 64 pieces. It returns how many were made: all, or the index of the first that was not and the error. A piece that does not lie
// within host is EINVAL. Pieces are not kept. Call Flush after the last write.
func (d *DM) WriteV(host []byte, pieces []Piece) (done int, err error) {
	if d == nil || !d.gate.IsOpen() {
		return 0, d.check(writing, 0, 0)
	}
	if d.mode == Shim {
		return d.shimV(writing, host, pieces)
	}
	for i := range pieces {
		v := &pieces[i]
		if !v.within(host) {
			return i, writing.outside
		}
		if _, err := d.WriteAt(host[v.At:v.At+v.Len], v.Off); err != nil {
			return i, err
		}
	}
	return len(pieces), nil
}

// ReadV makes a copy from the device memory to host for each piece, in order, as ReadAt does; otherwise it is like WriteV.
func (d *DM) ReadV(host []byte, pieces []Piece) (done int, err error) {
	if d == nil || !d.gate.IsOpen() {
		return 0, d.check(reading, 0, 0)
	}
	if d.mode == Shim {
		return d.shimV(reading, host, pieces)
	}
	for i := range pieces {
		v := &pieces[i]
		if !v.within(host) {
			return i, reading.outside
		}
		if _, err := d.ReadAt(host[v.At:v.At+v.Len], v.Off); err != nil {
			return i, err
		}
	}
	return len(pieces), nil
}

func (v *Piece) within(host []byte) bool {
	return uint(v.At) <= uint(len(host)) && uint(v.Len) <= uint(len(host)-v.At)
}

// shimV copies through the provider. C looks at each piece before it copies it, and leaves to Go what it finds wrong.
func (d *DM) shimV(dir *direction, host []byte, pieces []Piece) (done int, err error) {
	limits := pieceLimits{size: uint64(len(host)), length: d.length}
	if !d.known { // then the rule that all known providers have is kept, as of WriteAt
		limits.length, limits.odd = math.MaxInt64, granule-1
	}
	for done < len(pieces) {
		next := pieces[done:min(len(pieces), done+mostPieces)]
		if dmcopy.Race {
			reportPieces(dir, host, next)
		}
		made, code := shimPieces(&d.gate, dir == reading, host, next, limits)
		done += made
		if made == len(next) {
			continue
		}
		v := &pieces[done]
		switch {
		case code == badPiece && !v.within(host):
			return done, dir.outside
		case code == badPiece:
			return done, d.check(dir, v.Off, v.Len)
		}
		return done, d.removed(dir.failed(code, uint64(v.Off), v.Len))
	}
	return done, nil
}

// pieceLimits are what C compares a piece with.
type pieceLimits struct {
	size   uint64 // bytes of the slice
	length uint64 // of the device memory
	odd    uint64 // bits that neither an offset nor a length has
}

// badPiece is the answer of a copy that was not made because of its piece; Linux has no errno as large.
const badPiece = 0x20000

// reportPieces tells the race detector which parts of the slice are read or written.
func reportPieces(dir *direction, host []byte, pieces []Piece) {
	for i := range pieces {
		v := &pieces[i]
		if !v.within(host) {
			return
		}
		if part := host[v.At : v.At+v.Len]; dir == reading {
			dmcopy.HostWritten(part)
		} else {
			dmcopy.HostRead(part)
		}
	}
}
