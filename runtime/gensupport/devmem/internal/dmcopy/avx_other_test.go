//go:build linux && !amd64

package dmcopy

import "testing"

func withoutAVX(t *testing.T) { t.Skip("this processor has no AVX") }
