//go:build linux

package conformance

import (
	"math"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestFewTries polls an empty queue with a number of tries below 1: it is polled once.
func TestFewTries(t *testing.T) {
	a, _ := extended(t, open(t).dev, standard)
	r := must(a.CQ.Reader(standard))(t)
	var wcs [4]verbs.WC
	var entries [4]verbs.WCEx
	for _, tries := range []int{1, 0, -1, math.MinInt32 - 1, math.MinInt + 1, math.MinInt} {
		for name, poll := range map[string]func() (int, error){
			"CQ":       func() (int, error) { return a.CQ.PollSpin(wcs[:], tries) },
			"CQReader": func() (int, error) { return r.PollSpin(entries[:], tries) },
		} {
			late := time.AfterFunc(time.Minute, func() {
				t.Errorf("%s.PollSpin with %d tries does not end", name, tries)
				_ = a.Close() // ends the poll
			})
			if n, err := poll(); n != 0 || err != nil {
				t.Fatalf("%s.PollSpin with %d tries = %d, %v", name, tries, n, err)
			}
			late.Stop()
		}
	}
}
