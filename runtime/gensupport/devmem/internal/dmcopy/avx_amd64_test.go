//go:build linux

package dmcopy

import "testing"

func withoutAVX(t *testing.T) {
	had := avx
	avx = false
	t.Cleanup(func() { avx = had })
}
