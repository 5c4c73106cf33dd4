//go:build linux

package dmcopy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// island returns n bytes that end, or begin, where memory ends: an access outside is a fault.
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

func needsAssembly(t *testing.T) {
	t.Helper()
	if !Available {
		t.Skip("this processor has no assembly for copies")
	}
}

func fill(p []byte, seed byte) {
	for i := range p {
		p[i] = byte(i)*7 + seed
	}
}

// over returns a span over all of p.
func over(p []byte) *Span {
	s := new(Span)
	s.Open(unsafe.Pointer(unsafe.SliceData(p)), uint64(len(p)))
	return s
}

// rest makes the rest of the copies fail.
var errRest = errors.New("not made by the assembly")

func TestMain(m *testing.M) {
	refuse := func(*Span, []byte, int64, bool) (int, error) { return 0, errRest }
	Rest.Write, Rest.Read = refuse, refuse
	os.Exit(m.Run())
}

// TestEdges copies every length up to 260, and some around the pieces, between islands.
func TestEdges(t *testing.T) {
	needsAssembly(t)
	const most = 3*Chunk + 8
	sizes := []int{508, 512, 516, 1020, 4092, 4096, 4100, 8192, 8196, most}
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
			for _, wide := range []bool{false, true} {
				at := over(dev)
				fill(host, byte(n))
				clear(dev)
				if err := Write(at, host, 0, wide); err != nil || !bytes.Equal(dev, host) {
					t.Fatalf("write of %d bytes, at the end %v, wide %v: wrong bytes, %v", n, atEnd, wide, err)
				}
				for _, chunk := range []int{ReadChunk, Chunk} {
					if chunk == Chunk {
						at.Quick()
					}
					clear(host)
					if err := Read(at, host, 0, chunk, wide); err != nil || !bytes.Equal(dev, host) {
						t.Fatalf("read of %d bytes in pieces of %d, at the end %v, wide %v: wrong bytes, %v", n, chunk, atEnd, wide, err)
					}
				}
			}
		}
	}
}

// TestWithoutAVX makes wide copies with registers of 16 bytes.
func TestWithoutAVX(t *testing.T) {
	withoutAVX(t)
	TestEdges(t)
}

// TestSlow asks that what the assembly does not do is done by Rest, with the same arguments and results.
func TestSlow(t *testing.T) {
	write, read := Rest.Write, Rest.Read
	t.Cleanup(func() { Rest.Write, Rest.Read = write, read })
	type call struct {
		s    *Span
		p    string
		off  int64
		wide bool
	}
	var got call
	Rest.Write = func(s *Span, p []byte, off int64, wide bool) (int, error) {
		got = call{s, string(p), off, wide}
		return 7, errRest
	}
	Rest.Read = func(s *Span, p []byte, off int64, wide bool) (int, error) {
		for i := range p {
			p[i] = byte(i + 1)
		}
		got = call{s, string(p), off, wide}
		return 7, errRest
	}
	s := new(Span)
	for _, w := range []struct {
		wide        bool
		write, read func(*Span, []byte, int64) (int, error)
	}{{false, WriteAt, ReadAt}, {true, WriteWide, ReadWide}} {
		p := []byte("abc")
		if n, err := w.write(s, p, 1); n != 7 || err != errRest || got != (call{s, "abc", 1, w.wide}) {
			t.Errorf("write: %d, %v, %v", n, err, got)
		}
		const read = "\x01\x02\x03"
		if n, err := w.read(nil, p, -1); n != 7 || err != errRest || got != (call{nil, read, -1, w.wide}) || string(p) != read {
			t.Errorf("read: %d, %v, %v", n, err, got)
		}
	}
	order := binary.NativeEndian
	if err := Put32(s, 4, order.Uint32([]byte("abcd"))); err != errRest || got != (call{s, "abcd", 4, false}) {
		t.Errorf("Put32: %v, %v", err, got)
	}
	if err := Put64(s, 4, order.Uint64([]byte("abcdefgh"))); err != errRest || got != (call{s, "abcdefgh", 4, false}) {
		t.Errorf("Put64: %v, %v", err, got)
	}
	if v, err := Get32(s, 8); v != 0 || err != errRest || got != (call{s, "\x01\x02\x03\x04", 8, false}) {
		t.Errorf("Get32: %d, %v, %v", v, err, got)
	}
	Rest.Read = func(_ *Span, p []byte, _ int64, _ bool) (int, error) { return copy(p, "abcdefgh"), nil }
	if v, err := Get64(s, 8); v != order.Uint64([]byte("abcdefgh")) || err != nil {
		t.Errorf("Get64: %#x, %v", v, err)
	}
}
