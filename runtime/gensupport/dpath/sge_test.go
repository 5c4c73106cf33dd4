package dpath

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// TestRegionSGE takes pieces of a region at an address, of a zero-based one, of one with an iova, and of one that is all of
// the address space.
func TestRegionSGE(t *testing.T) {
	at := func(start, length uint64, lkey uint32) Region {
		return Region{Start: start, Length: length, LKey: lkey}
	}
	host, zero := at(0x10000, 4096, 7), at(0, 4096, 8)
	iova, all, none := at(0xffff_0000_0000_0000, 4096, 9), at(0, math.MaxUint64, 10), at(0x10000, 0, 11)
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
		var p Place
		p.Set(c.region)
		got, err := p.SGE(c.off, c.n)
		if got != c.want || (c.errno == 0) != (err == nil) || c.errno != 0 && !errors.Is(err, c.errno) {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if unchecked := p.UncheckedSGE(c.off, uint32(c.n)); err == nil && unchecked != got {
			t.Errorf("%s, unchecked: %+v", c.name, unchecked)
		}
	}
	var p Place
	p.Set(host)
	_, err := p.SGE(4095, 2)
	if want := "2 bytes at offset 4095 lie beyond the end of the memory region, which has 4096"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	p.Set(all)
	_, err = p.SGE(0, 1<<32)
	if want := "an element of 4294967296 bytes: its length has 32 bits; divide it among several"; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	b, err := NewSendBatch(1, 1)
	check(t, err)
	if s := b.WR(0).Send(1).Add(SGE{1, 2, 3}).SGEs(); len(s) != 1 || s[0] != (SGE{1, 2, 3}) {
		t.Errorf("added %v", s)
	}
	r, err := NewRecvBatch(1, 1)
	check(t, err)
	if s := r.WR(0).Recv(1).Add(SGE{1, 2, 3}).SGEs(); len(s) != 1 || s[0] != (SGE{1, 2, 3}) {
		t.Errorf("added %v", s)
	}
}

// copied copies a value in a way that vet does not report.
func copied[T any](v *T) *T {
	c := *v
	return &c
}

// TestPlace moves a region, closes it, and takes pieces of one of which nobody knows where it begins.
func TestPlace(t *testing.T) {
	var p Place
	p.Set(Region{Start: 0x10000, Length: 4096, LKey: 7})
	if s, err := p.SGE(16, 8); err != nil || s != (SGE{0x10010, 8, 7}) || s != p.UncheckedSGE(16, 8) || p.Start() != 0x10000 {
		t.Errorf("%+v, %v, begins at %#x", s, err, p.Start())
	}
	p.Renew(64, 8)
	if s, err := p.SGE(0, 64); err != nil || s != (SGE{0x10000, 64, 8}) {
		t.Errorf("after a change of length and key: %+v, %v", s, err)
	}
	if _, err := p.SGE(0, 65); !errors.Is(err, syscall.EFAULT) {
		t.Errorf("beyond the new end: %v", err)
	}
	for access, want := range map[uint64]string{0x1: "",
		0x21: "8 bytes at offset 0 of a memory region: it was registered with ZERO_BASED, and it depends on the device " +
			"whether its addresses begin at 0; register it with an iova of 0 instead; use UncheckedSGE, or IOVA for a peer"} {
		p.Set(Region{Start: 0x10000, Length: 4096, LKey: 7, Unknown: Vague(access, 0x20)})
		if _, err := p.SGE(0, 8); want == "" && err != nil || want != "" &&
			(!errors.Is(err, syscall.EINVAL) || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("access %#x: %v, want %s", access, err, want)
		}
		p.Renew(64, 8)
		if _, err := p.SGE(0, 8); (err == nil) != (want == "") {
			t.Errorf("access %#x, renewed: %v", access, err)
		}
	}
	p.Set(Region{LKey: 7, Unknown: Elsewhere})
	if _, err := p.SGE(0, 8); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "it was made elsewhere") {
		t.Errorf("made elsewhere: %v", err)
	}
	if s := p.UncheckedSGE(0x10000, 8); s != (SGE{0x10000, 8, 7}) {
		t.Errorf("made elsewhere, unchecked: %+v", s)
	}
	p.Set(Region{Start: 0x10000, Length: 4096, LKey: 7})
	c := copied(&p)
	if _, err := c.SGE(0, 8); err == nil || err.Error() != "MR is a copied handle; use the pointer to the original" {
		t.Errorf("a copy: %v", err)
	}
	if s := c.UncheckedSGE(0, 8); s.LKey != 0 {
		t.Errorf("a copy, unchecked: %+v", s)
	}
	p.Close(name("MR (lkey 0x7)"))
	if _, err := p.SGE(0, 8); !errors.Is(err, os.ErrClosed) || err.Error() != "MR (lkey 0x7) is closed" {
		t.Errorf("closed: %v", err)
	}
	if s := p.UncheckedSGE(0, 8); s.LKey != 0 {
		t.Errorf("closed, unchecked: %+v", s)
	}
}

type name string

func (n name) String() string { return string(n) }

// TestPlaceShared takes pieces of a region while others move it: each is of one of the places.
func TestPlaceShared(t *testing.T) {
	var p Place
	p.Set(Region{Start: 1 << 20, Length: 64, LKey: 1})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := range uint32(1000) {
			p.Set(Region{Start: uint64(i+1) << 20, Length: 64, LKey: i + 1})
		}
	})
	for range 1000 {
		if s, err := p.SGE(0, 64); err != nil || s.Addr != uint64(s.LKey)<<20 {
			t.Fatalf("%+v, %v", s, err)
		}
	}
	wait.Wait()
}

// TestSGEAllocates counts what a checked element takes from the heap.
func TestSGEAllocates(t *testing.T) {
	var p Place
	p.Set(Region{Start: 1, Length: 4096, LKey: 7})
	allocs.None(t, "SGE", func() {
		s, err := p.SGE(16, 8)
		if err != nil || s != p.UncheckedSGE(16, 8) {
			t.Error(s, err)
		}
	})
}
