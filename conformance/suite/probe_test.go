//go:build linux

package suite

import (
	"fmt"
	"syscall"
	"testing"
)

// TestIsLacking has a user without CAP_NET_RAW lack what needs it, and nothing else.
func TestIsLacking(t *testing.T) {
	for _, c := range []struct {
		c    Capability
		err  error
		want bool
	}{
		{RawPacket, fmt.Errorf("ibv_create_qp: %w", syscall.EPERM), true},
		{Flows, syscall.EPERM, true},
		{MW, syscall.EPERM, false},
		{MW, syscall.EOPNOTSUPP, true},
		{Flows, syscall.EINVAL, false},
		{Flows, nil, false},
	} {
		if got := isLacking(c.c, c.err); got != c.want {
			t.Errorf("%v, %v: %v", c.c, c.err, got)
		}
	}
}
