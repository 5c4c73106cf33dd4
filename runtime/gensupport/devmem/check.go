package devmem

import "math"

// verdict is what the checks before a copy find, in the order in which a provider looks: range, then alignment.
type verdict uint8

const (
	fits verdict = iota
	negative
	beyond  // EFAULT: ends behind the end of the memory
	unknown // EFAULT: the length is not known, and the end of the range is no int64
	odd     // EINVAL
)

// judge checks a copy of n bytes at offset off. No sum is made that could wrap: the provider's own check does. What judge lets through,
// the assembly must copy: it leaves other copies to the path through C, which comes here again, until the stack is full. TestJudge
// names the case.
//
// length counts when known is set; aligned asks for multiples of four.
func judge(off int64, n, length uint64, known, aligned bool) verdict {
	o := uint64(off)
	switch {
	case off < 0:
		return negative
	case known && (o > length || n > length-o):
		return beyond
	case !known && n > math.MaxInt64-o:
		return unknown
	case aligned && (o|n)%granule != 0:
		return odd
	}
	return fits
}
