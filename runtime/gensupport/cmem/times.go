package cmem

import (
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// timeCodes is the number of codes of every kind of time: they have 5 bits.
const timeCodes = 32

// Timeout returns the time of a code of a queue pair's timeout: 4.096 microseconds times 2 to the power of it. 0 is no
// timeout at all and gives 0, and so does a number that is no code.
func Timeout(code uint8) time.Duration {
	if code == 0 {
		return 0
	}
	return Delay(code)
}

// Delay is Timeout for what has no code for none: 0 is 4.096 microseconds. It is for the subnet timeout of a port and the
// acknowledgement delay of a device.
func Delay(code uint8) time.Duration {
	if code >= timeCodes {
		return 0
	}
	return 4096 * time.Nanosecond << code
}

// TimeoutOf returns the code of the shortest timeout of at least d, and 0 (no timeout) for 0. Below 0, and beyond the longest, some
// 2 hours and 27 minutes, it is EINVAL.
func TimeoutOf(d time.Duration) (code uint8, err error) {
	if d == 0 {
		return 0, nil
	}
	for code = 1; code < timeCodes && d > 0; code++ {
		if Delay(code) >= d {
			return code, nil
		}
	}
	return 0, noCode("a timeout", d, Delay(timeCodes-1))
}

// rnrTimes are the times that a peer waits after it learned that no receive is posted, by code, in units of 10 microseconds:
// table 45 of the InfiniBand architecture specification, volume 1.
var rnrTimes = [timeCodes]time.Duration{65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
	3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152}

// RNRTimer returns the time of a code of min_rnr_timer; 0 for any other number.
func RNRTimer(code uint8) time.Duration {
	if code >= timeCodes {
		return 0
	}
	return rnrTimes[code] * 10 * time.Microsecond
}

// RNRTimerOf returns the code of the shortest time of at least d, which is 10 microseconds for 0. Below 0, and beyond 655.36
// milliseconds, it is EINVAL.
func RNRTimerOf(d time.Duration) (code uint8, err error) {
	for code = 1; code < timeCodes && d >= 0; code++ {
		if RNRTimer(code) >= d {
			return code, nil
		}
	}
	if d >= 0 && d <= RNRTimer(0) {
		return 0, nil // the code 0 is the longest
	}
	return 0, noCode("an RNR timer", d, RNRTimer(0))
}

func noCode(what string, d, longest time.Duration) error {
	return fail.Invalid("", fmt.Sprintf("%s of %v: it is 0 to %v", what, d, longest))
}
