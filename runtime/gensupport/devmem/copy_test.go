//go:build linux && cgo

package devmem_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

var copyKinds = []fakeprov.Kind{fakeprov.MLX5, fakeprov.Words, fakeprov.Bytes}

// random makes n bytes that differ from call to call.
func random(rng *rand.ChaCha8, n int) []byte {
	p := make([]byte, n)
	rng.Read(p) // never fails
	return p
}

// TestEverySize copies every length up to 260 to and from every offset, from host slices of every alignment, and looks at
// every byte around.
func TestEverySize(t *testing.T) {
	const length, sizes, offsets = 400, 260, 20
	for _, kind := range copyKinds {
		t.Run(kind.File, func(t *testing.T) {
			f := open(t, load(t, kind), length)
			rng := rand.NewChaCha8([32]byte{1})
			for size := 0; size <= sizes; size++ {
				for off := 0; off < offsets; off++ {
					once(t, f, rng, off, size)
				}
				once(t, f, rng, length-size, size) // up to the last byte
			}
		})
	}
}

// once makes one copy each way between noise and noise; an odd one must be refused by all but the provider without rules.
func once(t *testing.T, f *fixture, rng *rand.ChaCha8, off, size int) {
	t.Helper()
	onceBy(t, f, f.DM, rng, off, size)
	onceBy(t, f, f.Wide(), rng, off, size)
}

func onceBy(t *testing.T, f *fixture, d interface {
	io.WriterAt
	io.ReaderAt
}, rng *rand.ChaCha8, off, size int) {
	t.Helper()
	allowed := (off|size)%4 == 0 || f.provider.Op("answer") != 0
	host := random(rng, size+16)
	at := 1 + int(rng.Uint64()%8) // alignment of the host slice
	buf := host[at : at+size]
	want := random(rng, len(f.bytes))
	copy(f.bytes, want)
	n, err := d.WriteAt(buf, int64(off))
	if allowed {
		copy(want[off:], buf)
	}
	if (err == nil) != allowed || (err != nil && !errors.Is(err, syscall.EINVAL)) || (n == size) != (allowed || size == 0) {
		t.Fatalf("write %d bytes at %d: %d, %v", size, off, n, err)
	}
	if !bytes.Equal(f.bytes, want) {
		t.Fatalf("write %d bytes at %d: wrong bytes in the memory", size, off)
	}

	wantHost := bytes.Clone(host)
	copy(f.bytes, random(rng, len(f.bytes)))
	if allowed {
		copy(wantHost[at:at+size], f.bytes[off:])
	}
	if n, err := d.ReadAt(buf, int64(off)); (err == nil) != allowed || (n == size) != (allowed || size == 0) {
		t.Fatalf("read %d bytes at %d: %d, %v", size, off, n, err)
	}
	if !bytes.Equal(host, wantHost) {
		t.Fatalf("read %d bytes at %d: wrong bytes on the host", size, off)
	}
}

// TestLong copies lengths around the sizes of the pieces that long copies are made of.
func TestLong(t *testing.T) {
	const length = 1<<17 + 64
	for _, kind := range copyKinds {
		t.Run(kind.File, func(t *testing.T) {
			f := open(t, load(t, kind), length)
			rng := rand.NewChaCha8([32]byte{2})
			for _, size := range []int{252, 256, 260, 508, 516, 1020, 1024, 1028, 4092, 4096, 4100, 8192, 65540, 1 << 17} {
				for _, off := range []int{0, 4, 60} {
					once(t, f, rng, off, size)
				}
			}
		})
	}
}

// TestReadPaths shows that a long read goes through the provider until the mapping has proved quick, and that nothing
// else does in mode direct4.
func TestReadPaths(t *testing.T) {
	if mapped() != devmem.Direct4 {
		t.Skip("this processor has no assembly for copies")
	}
	f := open(t, load(t, fakeprov.MLX5), 1<<20)
	buf := make([]byte, 1<<20)
	writes, reads := f.provider.Calls()
	for _, n := range []int{4, 256, 1020} {
		if _, err := f.ReadAt(buf[:n], 0); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteAt(buf, 0); err != nil {
		t.Fatal(err)
	}
	if to, from := f.provider.Calls(); to != writes || from != reads {
		t.Fatalf("%d writes and %d short reads went through the provider", to-writes, from-reads)
	}
	// How many reads it takes depends on how busy the machine is; under the race detector it may never be quick.
	for range 1000 {
		if _, err := f.ReadAt(buf, 0); err != nil {
			t.Fatal(err)
		}
		_, before := f.provider.Calls()
		if before == reads {
			t.Fatal("the first long read was made directly")
		}
		if _, err := f.ReadAt(buf[:1024], 0); err != nil {
			t.Fatal(err)
		}
		if _, after := f.provider.Calls(); after == before {
			return
		}
	}
	t.Error("long reads of quick memory are never made directly")
}

// TestRanges asks for the errors of every kind of access, in the order of the provider's checks, and that nothing is copied.
func TestRanges(t *testing.T) {
	tests := []struct {
		name  string
		off   int64
		size  int
		errno syscall.Errno
		text  string
	}{
		{"beyond the end", 60, 8, syscall.EFAULT, "beyond the end"},
		{"negative", -4, 4, syscall.EFAULT, "negative"},
		{"greatest offset", math.MaxInt64 - 3, 4, syscall.EFAULT, "beyond the end"},
		{"greatest offset, wraps an int64", math.MaxInt64 - 3, 8, syscall.EFAULT, "beyond the end"},
		{"odd offset", 2, 4, syscall.EINVAL, ""},
		{"odd length", 4, 6, syscall.EINVAL, ""},
	}
	for _, kind := range []fakeprov.Kind{fakeprov.MLX5, fakeprov.Words} {
		t.Run(kind.File, func(t *testing.T) {
			f := open(t, load(t, kind), 64)
			before := bytes.Clone(f.bytes)
			for _, tt := range tests {
				buf := bytes.Repeat([]byte{0xcc}, tt.size)
				n, err := f.WriteAt(buf, tt.off)
				m, readErr := f.ReadAt(buf, tt.off)
				checkError(t, err, tt.errno, "ibv_memcpy_to_dm: ", tt.text)
				checkError(t, readErr, tt.errno, "ibv_memcpy_from_dm: ", tt.text)
				if n != 0 || m != 0 || !bytes.Equal(buf, bytes.Repeat([]byte{0xcc}, tt.size)) {
					t.Errorf("%s: wrote %d, read %d bytes", tt.name, n, m)
				}
				if tt.size == 4 {
					checkError(t, f.PutUint32(tt.off, 1), tt.errno, tt.text)
					_, err := f.GetUint32(tt.off)
					checkError(t, err, tt.errno, tt.text)
				}
			}
			if !bytes.Equal(f.bytes, before) {
				t.Error("a refused copy changed the memory")
			}
		})
	}
}

func TestWords(t *testing.T) {
	for _, kind := range copyKinds {
		t.Run(kind.File, func(t *testing.T) {
			f := open(t, load(t, kind), 16)
			check(t, f.PutUint32(4, 0x04030201))
			f.Flush()
			if !bytes.Equal(f.bytes, []byte{0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0}) {
				t.Errorf("memory % x", f.bytes)
			}
			if err := f.PutUint64(8, 0x0c0b0a0908070605); err != nil || !bytes.Equal(f.bytes[8:], []byte{5, 6, 7, 8, 9, 10, 11, 12}) {
				t.Errorf("memory % x, %v", f.bytes, err)
			}
			if v, err := f.GetUint64(4); v != 0x0807060504030201 || err != nil {
				t.Errorf("read %#x, %v", v, err)
			}
			if v, err := f.GetUint32(4); v != 0x04030201 || err != nil {
				t.Errorf("read %#x, %v", v, err)
			}
		})
	}
}

// TestOddEnd has a memory whose length is no multiple of four.
func TestOddEnd(t *testing.T) {
	f := open(t, load(t, fakeprov.MLX5), 7)
	check(t, f.PutUint32(0, 1))
	checkError(t, f.PutUint32(4, 1), syscall.EFAULT)
	_, err := f.WriteAt(make([]byte, 8), 0)
	checkError(t, err, syscall.EFAULT)
	_, err = f.ReadAt(make([]byte, 7), 0)
	checkError(t, err, syscall.EINVAL)
}

// TestProviderErrors passes on what a provider answers.
func TestProviderErrors(t *testing.T) {
	f := open(t, load(t, fakeprov.Bytes), 64)
	t.Cleanup(func() { f.provider.SetAnswer(0) })
	for code, want := range map[int]syscall.Errno{
		int(syscall.EIO): syscall.EIO, int(syscall.ENOSYS): syscall.ENOSYS, 133: syscall.Errno(133),
		134: syscall.EIO, -1: syscall.EIO, math.MaxInt32: syscall.EIO,
	} {
		f.provider.SetAnswer(code)
		n, err := f.WriteAt(make([]byte, 4), 12)
		checkError(t, err, want, "ibv_memcpy_to_dm: the provider ")
		m, readErr := f.ReadAt(make([]byte, 4), 12)
		checkError(t, readErr, want, "ibv_memcpy_from_dm: the provider ")
		if _, again := f.WriteAt(make([]byte, 4), 12); n != 0 || m != 0 || again != err {
			t.Errorf("code %d: copied %d and %d bytes, again %v", code, n, m, again)
		}
	}
}

// TestDetached uses handles before Attach and after Detach, whatever mode they had.
func TestDetached(t *testing.T) {
	check := func(t *testing.T, d *devmem.DM) {
		t.Helper()
		for _, n := range []int{0, 3, 4, 8192} {
			_, err := d.WriteAt(make([]byte, n), 0)
			_, readErr := d.ReadAt(make([]byte, n), 0)
			if !errors.Is(err, os.ErrClosed) || !errors.Is(readErr, os.ErrClosed) {
				t.Errorf("%d bytes: write %v, read %v", n, err, readErr)
			}
		}
		_, err := d.GetUint32(0)
		if put := d.PutUint32(0, 1); !errors.Is(put, os.ErrClosed) || !errors.Is(err, os.ErrClosed) {
			t.Errorf("put %v, get %v", put, err)
		}
		_, err = d.Wide().WriteAt(make([]byte, 8), 0)
		if _, readErr := d.Wide().ReadAt(make([]byte, 8), 0); !errors.Is(readErr, os.ErrClosed) || !errors.Is(err, os.ErrClosed) {
			t.Errorf("wide: %v, %v", err, readErr)
		}
		one := []devmem.Piece{{Len: 4}}
		n, err := d.WriteV(make([]byte, 8), one)
		if m, readErr := d.ReadV(make([]byte, 8), one); n != 0 || m != 0 || !errors.Is(readErr, os.ErrClosed) || !errors.Is(err, os.ErrClosed) {
			t.Errorf("pieces: %d, %v, %d, %v", n, err, m, readErr)
		}
		d.Flush()
		if d.Mode() != devmem.Detached {
			t.Errorf("mode %v", d.Mode())
		}
	}
	check(t, new(devmem.DM))
	for _, kind := range []fakeprov.Kind{fakeprov.MLX5, fakeprov.Bytes, fakeprov.MANA} {
		f := open(t, load(t, kind), 64)
		f.detach()
		check(t, f.DM)
		if err := f.Attach(f.object, 64, true); (err == nil) != (kind.File != fakeprov.MANA.File) {
			t.Errorf("attached again: %v", err)
		}
	}
}

// TestTogether copies from many goroutines at once, each in a range of its own.
func TestTogether(t *testing.T) {
	for _, kind := range copyKinds {
		f := open(t, load(t, kind), 64*1024)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				off := int64(i * 8192)
				out, in := bytes.Repeat([]byte{byte(i + 1)}, 8192), make([]byte, 8192)
				for n := 4; n <= 8192; n *= 2 {
					_, err := f.WriteAt(out[:n], off)
					_, readErr := f.ReadAt(in[:n], off)
					if err != nil || readErr != nil || !bytes.Equal(in[:n], out[:n]) {
						t.Errorf("%d bytes at %d: %v, %v", n, off, err, readErr)
					}
				}
			})
		}
		wg.Wait()
	}
}
