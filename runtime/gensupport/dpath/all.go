package dpath

import "iter"

// All returns an iterator over all requests and their numbers, to fill them in or to change them:
//
//	for i, w := range batch.All() {
//		w.Write(uint64(i), remote, rkey).SGE(addr, length, lkey)
//	}
//
// It panics as WR does, when the iteration begins. A request that it yields costs less than one that WR returns, which looks each time at
// whether the batch is closed or being posted.
func (b *SendBatch) All() iter.Seq2[int, SendWR] {
	return func(yield func(int, SendWR) bool) {
		if b == nil || b.all.use == nil || !b.all.use.free() {
			b.panics()
		}
		wrs := b.all.wrs
		for i := range wrs {
			if !yield(i, SendWR{&wrs[i]}) {
				return
			}
		}
	}
}

// All is like SendBatch.All, and panics likewise.
func (b *RecvBatch) All() iter.Seq2[int, RecvWR] {
	return func(yield func(int, RecvWR) bool) {
		if b == nil || b.all.use == nil || !b.all.use.free() {
			b.panics()
		}
		wrs := b.all.wrs
		for i := range wrs {
			if !yield(i, RecvWR{&wrs[i]}) {
				return
			}
		}
	}
}
