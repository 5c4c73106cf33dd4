package cmem

import "testing"

func TestJoin(t *testing.T) {
	for i, c := range []struct{ got, want uint32 }{{Join(nil, uint32(7)), 7}, {Join([]uint32{1, 4}, 7), 5}, {Join([]uint32{0}, 7), 0}} {
		if c.got != c.want {
			t.Errorf("%d: %d, want %d", i, c.got, c.want)
		}
	}
}
