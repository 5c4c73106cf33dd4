package dpath

import "unsafe"

// Quiet reports whether no request of the range is signaled.
func Quiet(r SendRange) bool {
	if r.batch == nil || r.first < 0 || r.n < 0 || r.n > len(r.batch.wrs) || r.first > len(r.batch.wrs)-r.n {
		return false
	}
	for i := range r.batch.wrs[r.first : r.first+r.n] {
		if r.batch.wrs[r.first+i].flags&flagSignaled != 0 {
			return false
		}
	}
	return r.n > 0
}

// Longest returns the bytes of the longest message of the range. It looks at requests that were posted, which nobody changes meanwhile.
func Longest[W record](r Range[W]) (most uint64) {
	if r.batch == nil || r.first < 0 || r.n < 0 || r.n > len(r.batch.wrs) || r.first > len(r.batch.wrs)-r.n {
		return 0
	}
	for i := range r.batch.wrs[r.first : r.first+r.n] {
		w, ok := any(&r.batch.wrs[r.first+i]).(*sendRecord)
		if !ok {
			return 0
		}
		var bytes uint64
		for _, e := range used(unsafe.Pointer(w), w.sges, w.num, &w.room) {
			bytes += uint64(e.Length)
		}
		most = max(most, bytes)
	}
	return most
}
