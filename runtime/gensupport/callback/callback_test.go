package callback

import "testing"

//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

// TestInside asks at different depths, below and above Run, and in another goroutine.
func TestInside(t *testing.T) {
	for _, above := range []int{0, 1, 61, 62, 63, 64, 65, 500} {
		for _, below := range []int{0, 1, 61, 62, 63, 64, 65, 500} {
			deep(above, func() {
				if Inside() {
					t.Errorf("inside, %d calls deep", above)
				}
				Run(func() {
					deep(below, func() {
						if !Inside() {
							t.Errorf("not inside, %d calls above Run and %d below", above, below)
						}
					})
				})
			})
		}
	}
	Run(func() {
		other := make(chan bool)
		go func() { other <- Inside() }()
		if <-other {
			t.Error("another goroutine is inside")
		}
	})
}
