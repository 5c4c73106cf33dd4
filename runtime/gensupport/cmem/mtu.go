package cmem

import (
	"fmt"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// MTUs are codes from 1 on, enum ibv_mtu: each stands for twice the bytes of the one before.
const (
	fewestMTU = 256
	mostMTU   = 4096
	mtuCodes  = 5
)

// MTUBytes returns the bytes of payload that an MTU allows in a packet; 0 for a number that is no code.
func MTUBytes(code uint32) int {
	if code < 1 || code > mtuCodes {
		return 0
	}
	return fewestMTU << (code - 1)
}

// MTUOf returns the code of the largest MTU of at most that many bytes. Fewer than 256 bytes are EINVAL.
func MTUOf(bytes int) (code uint32, err error) {
	if bytes < fewestMTU {
		return 0, fail.Invalid("", fmt.Sprintf("an MTU of %d bytes: the smallest has %d, the largest %d", bytes, fewestMTU, mostMTU))
	}
	code = 1
	for code < mtuCodes && MTUBytes(code+1) <= bytes {
		code++
	}
	return code, nil
}
