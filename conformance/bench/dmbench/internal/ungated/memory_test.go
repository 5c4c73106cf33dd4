//go:build amd64

package ungated

import (
	"bytes"
	"testing"
)

// TestWriteAt copies what it should, and nothing else: otherwise the comparison would be of something else.
func TestWriteAt(t *testing.T) {
	for n := granule; n <= 300; n += granule {
		dst := bytes.Repeat([]byte{0xee}, 512)
		want := bytes.Clone(dst)
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(i + n)
		}
		copy(want[8:], src)
		if got, err := Over(dst).WriteAt(src, 8); got != n || err != nil || !bytes.Equal(dst, want) {
			t.Fatalf("%d bytes: %d, %v", n, got, err)
		}
	}
	m := Over(make([]byte, 64))
	for _, c := range []struct {
		off int64
		n   int
	}{{64, 4}, {60, 8}, {-4, 4}, {2, 4}, {0, 3}, {0, 0}} {
		if _, err := m.WriteAt(make([]byte, c.n), c.off); err == nil {
			t.Errorf("%d bytes at %d are accepted", c.n, c.off)
		}
	}
}
