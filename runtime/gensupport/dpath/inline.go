package dpath

// Why unsafe: it reads memory by the address in a request. What keeps it sound: a fault is a panic meanwhile, and nothing of what was
// read is used. It could go if the kernel told of a process's memory as quickly as it reads it.

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"
	"unsafe"
)

// inlines is not 0 once the program has set IBV_SEND_INLINE by itself: from then on posts look for requests with it whose memory is gone,
// which a provider would read. InlineData has its bytes in the batch.
var inlines atomic.Uint32

// watchInline has posts look from now on.
func (v SendFlags) watchInline() {
	if v&flagInline != 0 && inlines.Load() == 0 {
		inlines.Store(1)
	}
}

// gone returns the first of some requests that has inline data where no memory is, and its address; -1 for none.
func gone[W record](b *requests[W], first, n int) (bad int, at uint64) {
	for i := range b.wrs[first : first+n] {
		w, ok := any(&b.wrs[first+i]).(*SendRequest)
		if !ok {
			break
		}
		if w.Flags&flagInline == 0 {
			continue
		}
		own := uint64(uintptr(w.inlineData()))
		for _, s := range used(w) {
			if s.Addr-own < uint64(w.inline) {
				continue // of InlineData
			}
			if at, ok := readable(s.Addr, s.Length); !ok {
				return first + i, at
			}
		}
	}
	return -1, 0
}

// readable reads a byte of each page, as far as a request has room, and returns the first address where no memory is.
func readable(addr uint64, n uint32) (at uint64, ok bool) {
	last, page := addr+uint64(min(n, mostInline))-1, uint64(os.Getpagesize())
	switch {
	case n == 0:
		return 0, true
	case last < addr:
		return addr, false
	}
	faults := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(faults)
		ok = recover() == nil
	}()
	for at = addr; at < last; at = at&^(page-1) + page {
		touch(uintptr(at))
	}
	at = last
	touch(uintptr(at))
	return
}

// touch reads a byte.
//
//go:norace
//go:noinline
//go:nocheckptr
func touch(at uintptr) byte { return *(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))) }

// noData says what is wrong with inline data at an address.
func noData(at uint64) string {
	if at == 0 {
		return "its inline data has a length and no address; give the element the address of the data, or use InlineData"
	}
	return fmt.Sprintf("its inline data is to be read at %#x, where no memory is; keep the memory until the post has returned, or use "+
		"InlineData", at)
}
