package ratio

import (
	"testing"
	"time"
)

// TestMeasure asks that both have turns of the same number of calls, and that the numbers are those of one call.
func TestMeasure(t *testing.T) {
	var calls [2]int
	sleep := func(i int) func(int) {
		return func(times int) {
			calls[i] += times
			time.Sleep(time.Duration(times) * 10 * time.Microsecond)
		}
	}
	if ns, ratio := Measure(sleep(0), sleep(1)); ns < 1e4 || ratio <= 0 {
		t.Errorf("%v ns, ratio %v", ns, ratio)
	}
	if calls[1] == 0 || calls[0] < 2*calls[1]-2*calls[1]/51 {
		t.Errorf("%d calls of C, %d of ours", calls[0], calls[1])
	}
}
