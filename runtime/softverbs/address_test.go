//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func TestAddressHandleVerdicts(t *testing.T) {
	b := open(t)
	g, err := b.lib.GID(b.ctx, 1, 0)
	b.ok(err)
	good := harness.AH{DGID: g, HopLimit: 1, Port: 1, Global: true}
	for _, c := range []struct {
		what   string
		change func(*harness.AH)
		want   syscall.Errno
	}{
		{"as it should be", func(*harness.AH) {}, 0},
		{"port 0", func(a *harness.AH) { a.Port = 0 }, syscall.EINVAL},
		{"port 2", func(a *harness.AH) { a.Port = 2 }, syscall.EINVAL},
		{"not global", func(a *harness.AH) { a.Global = false }, syscall.EINVAL},
		{"empty GID entry", func(a *harness.AH) { a.SGIDIndex = 2 }, syscall.ENODATA},
		{"last GID index", func(a *harness.AH) { a.SGIDIndex = 255 }, syscall.ENODATA},
		{"IPv4 address of nobody", func(a *harness.AH) { a.SGIDIndex, a.DGID = 1, [16]byte{10: 0xff, 0xff, 10, 9, 9, 9} }, syscall.ETIMEDOUT},
		{"IPv4 address from a link-local one", func(a *harness.AH) { a.DGID = [16]byte{10: 0xff, 0xff, 10, 0, 0, 1} }, syscall.EINVAL},
		{"link-local address from an IPv4 one", func(a *harness.AH) { a.SGIDIndex = 1 }, syscall.EINVAL},
		{"link-local address of nobody", func(a *harness.AH) { a.DGID[15]++ }, syscall.ETIMEDOUT},
		{"address that no route leads to", func(a *harness.AH) { a.DGID = [16]byte{0x20, 1, 15: 1} }, syscall.ENETUNREACH},
		{"no address", func(a *harness.AH) { a.DGID = [16]byte{} }, syscall.ENETUNREACH},
		{"address of many", func(a *harness.AH) { a.DGID = [16]byte{0xff, 2, 15: 1} }, 0},
	} {
		a := good
		c.change(&a)
		ah, err := b.lib.CreateAH(b.pd, a)
		t.Log(c.what)
		b.want(c.want, err)
		if err == nil {
			b.want(syscall.EBUSY, b.lib.End("ibv_dealloc_pd", b.pd))
			b.ok(b.lib.End("ibv_destroy_ah", ah))
			b.want(syscall.EINVAL, b.lib.End("ibv_destroy_ah", ah))
		}
	}
}
