package dpath

// Why unsafe: elements are found by the address that C reads, as in wr.go, which says what keeps it sound: a request never counts more
// elements than it has room for.

import "unsafe"

// Stride is what Range.Advance adds to each request of a range. Numbers below 0 go back, as from the last buffer of a ring to the first.
type Stride struct {
	ID     int64 // to its ID
	Addr   int64 // to the address of each of its elements
	Remote int64 // to its remote address
}

// Advance moves all requests of the range by a constant, before they are posted again. For a program with a ring of buffers it is one loop
// in place of SetID, SetAddr and SetRemote of each request:
//
//	for _, err := qp.PostSend(batch, 16); err == nil; _, err = qp.PostSend(batch, 16) {
//		// ... wait for their completions ...
//		batch.From(0, 16).Advance(dpath.Stride{ID: 16, Addr: 16 * size, Remote: 16 * size})
//	}
//
// Only a READ, a WRITE, an atomic and a flush have a remote address: Remote changes nothing else, such as the destination of a datagram.
// An element of InlineData stays, as its bytes lie in the batch. Of an operation on tags, the ID and the elements are changed. As with
// SetAddr, nothing looks at where the addresses come to lie, and a sum beyond 64 bits wraps around.
//
// It panics as SendBatch.WR does, also if the batch has fewer requests, and then changes nothing.
func (r Range[W]) Advance(by Stride) {
	if r.batch == nil || !r.batch.has(r.first, r.n) {
		r.panics()
	}
	switch b := any(r.batch).(type) {
	case *requests[SendRequest]:
		advanceSends(b.wrs[r.first:r.first+r.n], by)
	case *requests[RecvRequest]:
		advanceReceives(b.wrs[r.first:r.first+r.n], by)
	case *requests[opsRecord]:
		wrs := b.wrs[r.first : r.first+r.n]
		for i := range wrs {
			w := &wrs[i]
			w.id += uint64(by.ID)
			advanceElements(unsafe.Pointer(w), w.sges, w.num, by.Addr)
		}
	}
}

// panics is called when a range cannot be changed.
func (r Range[W]) panics() {
	_, what := r.batch.names()
	switch {
	case r.batch == nil || r.batch.use == nil:
		panic("dpath: the " + what + " of the range is nil or was never made; make one with New" + what)
	case !r.batch.use.free():
		r.batch.use.panics(what)
	}
	panic("dpath: the range has requests that the " + what + " does not have; advance fewer, or make a larger batch")
}

// withRemote has the bit of each opcode whose requests have a remote address. No opcode here is above 63.
const withRemote uint64 = 1<<opWrite | 1<<opWriteImm | 1<<opRead | 1<<opCompareSwap | 1<<opFetchAdd | 1<<opFlush | 1<<opAtomicWrite

func advanceSends(wrs []SendRequest, by Stride) {
	if len(wrs) > 0 && wrs[0].inline != 0 { // as in the whole batch
		for i := range wrs {
			wrs[i].advance(by)
		}
		return
	}
	for i := range wrs {
		w := &wrs[i]
		w.ID += uint64(by.ID)
		if withRemote>>(w.Opcode&63)&1 != 0 {
			w.Remote += uint64(by.Remote)
		}
		if w.num == 1 { // as most have
			element(unsafe.Pointer(w), w.sges, 0).Addr += uint64(by.Addr)
			continue
		}
		advanceElements(unsafe.Pointer(w), w.sges, w.num, by.Addr)
	}
}

// advance moves a request that may have data in its batch.
func (w *SendRequest) advance(by Stride) {
	w.ID += uint64(by.ID)
	if withRemote>>(w.Opcode&63)&1 != 0 {
		w.Remote += uint64(by.Remote)
	}
	data := uint64(uintptr(w.inlineData()))
	for i := range uint32(w.num) {
		if s := element(unsafe.Pointer(w), w.sges, i); s.Addr != data {
			s.Addr += uint64(by.Addr)
		}
	}
}

func advanceReceives(wrs []RecvRequest, by Stride) {
	for i := range wrs {
		w := &wrs[i]
		w.ID += uint64(by.ID)
		advanceElements(unsafe.Pointer(w), w.sges, w.num, by.Addr)
	}
}

// advanceElements moves the num elements of the request at w.
func advanceElements(w unsafe.Pointer, sges uintptr, num int32, by int64) {
	for i := range uint32(num) {
		element(w, sges, i).Addr += uint64(by)
	}
}
