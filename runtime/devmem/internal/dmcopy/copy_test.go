//go:build linux

package dmcopy

import (
	"bytes"
	"syscall"
	"testing"
	"unsafe"
)

// island gives n bytes that end, or begin, where memory ends: an access outside is a fault.
func island(t *testing.T, n int, atEnd bool) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	pages := (n + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, pages+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+pages:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	if atEnd {
		return all[page+pages-n : page+pages]
	}
	return all[page : page+n]
}

func fill(p []byte, seed byte) {
	for i := range p {
		p[i] = byte(i)*7 + seed
	}
}

// over gives a span over all of p.
func over(p []byte) *Span {
	s := new(Span)
	s.Open(unsafe.Pointer(unsafe.SliceData(p)), uint64(len(p)))
	return s
}

// TestEdges copies every length up to 260, and some around the pieces, between islands.
func TestEdges(t *testing.T) {
	const most = 3*WriteChunk + 8
	sizes := []int{508, 512, 516, 4092, 4096, 4100, 8192, 8196, most}
	for n := 0; n <= 260; n += Granule {
		sizes = append(sizes, n)
	}
	for _, atEnd := range []bool{false, true} {
		devAll, hostAll := island(t, most, atEnd), island(t, most, atEnd)
		for _, n := range sizes {
			dev, host := devAll[:n], hostAll[:n]
			if atEnd {
				dev, host = devAll[most-n:], hostAll[most-n:]
			}
			at := over(dev)
			fill(host, byte(n))
			if Write(at, 0, host) != Copied || !bytes.Equal(dev, host) {
				t.Fatalf("write of %d bytes, at the end %v: wrong bytes", n, atEnd)
			}
			for _, chunk := range []int{ReadChunk, WriteChunk} {
				clear(host)
				if Read(host, at, 0, chunk) != Copied || !bytes.Equal(dev, host) {
					t.Fatalf("read of %d bytes in pieces of %d, at the end %v: wrong bytes", n, chunk, atEnd)
				}
			}
		}
	}
}

func TestGranules(t *testing.T) {
	dev := island(t, Granule, true)
	at := over(dev)
	if Store(at, 0, 0xdeadbeef) != Copied {
		t.Error("not stored")
	}
	Flush()
	if v, how := Load(at, 0); v != 0xdeadbeef || how != Copied {
		t.Errorf("loaded %#x, outcome %d", v, how)
	}
}
