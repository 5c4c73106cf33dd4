package dpath

import (
	"errors"
	"math"
	"syscall"
	"testing"
)

// TestRegionSGE takes pieces of a region at an address, of a zero-based one, of one with an iova, and of one that is all of
// the address space.
func TestRegionSGE(t *testing.T) {
	host, zero := Region{0x10000, 4096, 7}, Region{0, 4096, 8}
	iova, all, none := Region{0xffff_0000_0000_0000, 4096, 9}, Region{0, math.MaxUint64, 10}, Region{0x10000, 0, 11}
	for _, c := range []struct {
		name   string
		region Region
		off, n uint64
		want   SGE
		errno  syscall.Errno
	}{
		{"all of it", host, 0, 4096, SGE{0x10000, 4096, 7}, 0},
		{"a piece", host, 100, 28, SGE{0x10064, 28, 7}, 0},
		{"the end", host, 4095, 1, SGE{0x10fff, 1, 7}, 0},
		{"nothing at the end", host, 4096, 0, SGE{0x11000, 0, 7}, 0},
		{"one too many", host, 4095, 2, SGE{}, syscall.EFAULT},
		{"beyond", host, 4097, 0, SGE{}, syscall.EFAULT},
		{"a sum that wraps", host, 1, math.MaxUint64, SGE{}, syscall.EFAULT},
		{"an offset of minus 1", host, math.MaxUint64, 1, SGE{}, syscall.EFAULT},
		{"zero-based", zero, 100, 28, SGE{100, 28, 8}, 0},
		{"zero-based, beyond", zero, 4000, 97, SGE{}, syscall.EFAULT},
		{"iova", iova, 100, 28, SGE{0xffff_0000_0000_0064, 28, 9}, 0},
		{"iova, beyond", iova, 4096, 1, SGE{}, syscall.EFAULT},
		{"the address space", all, 1 << 47, 28, SGE{1 << 47, 28, 10}, 0},
		{"4 GiB less 1", all, 0, math.MaxUint32, SGE{0, math.MaxUint32, 10}, 0},
		{"4 GiB", all, 0, 1 << 32, SGE{}, syscall.EINVAL},
		{"an empty region", none, 0, 1, SGE{}, syscall.EFAULT},
	} {
		got, err := c.region.SGE(c.off, c.n)
		if got != c.want || (c.errno == 0) != (err == nil) || c.errno != 0 && !errors.Is(err, c.errno) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if err == nil && c.region.UncheckedSGE(c.off, uint32(c.n)) != got {
			t.Errorf("%s, unchecked: %+v", c.name, c.region.UncheckedSGE(c.off, uint32(c.n)))
		}
	}
	_, err := host.SGE(4095, 2)
	if want := "2 bytes at offset 4095 lie beyond the end of the memory region, which has 4096"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = all.SGE(0, 1<<32)
	if want := "an element of 4294967296 bytes: its length has 32 bits; divide it among several"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	b, err := NewSendBatch(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s := b.WR(0).Send(1).Add(SGE{1, 2, 3}).SGEs(); len(s) != 1 || s[0] != (SGE{1, 2, 3}) {
		t.Errorf("added %v", s)
	}
	r, err := NewRecvBatch(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.WR(0).Recv(1).Add(SGE{1, 2, 3}).SGEs(); len(s) != 1 || s[0] != (SGE{1, 2, 3}) {
		t.Errorf("added %v", s)
	}
}
