package fail

import "testing"

//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	deep(n-1, f)
}

// TestInCallback asks at different depths, below and above Callback, and in another goroutine.
func TestInCallback(t *testing.T) {
	for _, above := range []int{0, 1, 61, 62, 63, 64, 65, 500} {
		for _, below := range []int{0, 1, 61, 62, 63, 64, 65, 500} {
			deep(above, func() {
				if InCallback() {
					t.Errorf("inside, %d calls deep", above)
				}
				Callback(func() {
					deep(below, func() {
						if !InCallback() {
							t.Errorf("not inside, %d calls above Callback and %d below", above, below)
						}
					})
				})
			})
		}
	}
	Callback(func() {
		other := make(chan bool)
		go func() { other <- InCallback() }()
		if <-other {
			t.Error("another goroutine is inside")
		}
	})
}
