//go:build linux

package conformance

import (
	"math"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestFewTries polls an empty queue by a reader with a number of tries below 1: it is polled once.
func TestFewTries(t *testing.T) {
	a, _ := extended(t, open(t).dev, standard)
	r := must(a.CQ.Reader(standard))(t)
	var entries [4]verbs.WCEx
	for _, tries := range []int{1, 0, -1, math.MinInt32 - 1, math.MinInt + 1, math.MinInt} {
		late := time.AfterFunc(time.Minute, func() {
			t.Errorf("PollSpin with %d tries does not end", tries)
			_ = a.Close() // ends the poll
		})
		if n, err := r.PollSpin(entries[:], tries); n != 0 || err != nil {
			t.Fatalf("PollSpin with %d tries = %d, %v", tries, n, err)
		}
		late.Stop()
	}
}
