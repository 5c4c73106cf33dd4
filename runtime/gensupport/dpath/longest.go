package dpath

// Quiet reports whether no request of the range is signaled.
func Quiet(r SendRange) bool {
	wrs := r.batch.wrs[r.first : r.first+r.n]
	for i := range wrs { // no copies: a Close may write to room meanwhile
		if wrs[i].Flags&flagSignaled != 0 {
			return false
		}
	}
	return r.n > 0
}

// Longest returns the bytes of the longest message of the range. It looks at requests that were posted, which nobody changes meanwhile.
func Longest(r SendRange) (most uint64) {
	wrs := r.batch.wrs[r.first : r.first+r.n]
	for i := range wrs {
		var bytes uint64
		for _, e := range used(&wrs[i]) {
			bytes += uint64(e.Length)
		}
		most = max(most, bytes)
	}
	return most
}
