//go:build linux && cgo

package devmem_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestPieces copies many pieces each way, in an order that is not that of the memory, and looks at every byte.
func TestPieces(t *testing.T) {
	const count, length = 200, 4096
	for _, kind := range copyKinds {
		t.Run(kind.File, func(t *testing.T) {
			f := open(t, load(t, kind), length)
			rng := rand.NewChaCha8([32]byte{3})
			host := random(rng, length)
			want := bytes.Clone(f.bytes)
			pieces := []devmem.Piece{{Off: length - 4, At: length - 4, Len: 4}, {Off: length, At: length}} // to the ends
			for i := range count - len(pieces) {
				pieces = append(pieces, devmem.Piece{Off: int64((i * 37 % count) * 20), At: 1 + i*13, Len: 4 * (i % 5)})
			}
			for _, v := range pieces {
				copy(want[v.Off:], host[v.At:v.At+v.Len])
			}
			writes, reads := f.provider.Calls()
			if n, err := f.WriteV(host, pieces); n != count || err != nil || !bytes.Equal(f.bytes, want) {
				t.Fatalf("WriteV: %d, %v", n, err)
			}
			back := make([]byte, length)
			wantBack := make([]byte, length)
			for _, v := range pieces {
				copy(wantBack[v.At:v.At+v.Len], f.bytes[v.Off:])
			}
			if n, err := f.ReadV(back, pieces); n != count || err != nil || !bytes.Equal(back, wantBack) {
				t.Fatalf("ReadV: %d, %v", n, err)
			}
			to, from := f.provider.Calls()
			if direct := f.Mode() == devmem.Direct4; direct && (to != writes || from != reads) {
				t.Errorf("%d and %d calls of the provider", to-writes, from-reads)
			} else if !direct && (to != writes+count || from != reads+count) {
				t.Errorf("%d and %d calls of the provider, want %d", to-writes, from-reads, count)
			}
			if n, err := f.WriteV(nil, nil); n != 0 || err != nil {
				t.Errorf("no pieces: %d, %v", n, err)
			}
		})
	}
}

// TestBadPieces has a bad piece behind good ones, also in the second crossing: those before it are copied, and no other.
func TestBadPieces(t *testing.T) {
	bad := map[string]struct {
		piece devmem.Piece
		errno syscall.Errno
		text  string
	}{
		"beyond the memory": {devmem.Piece{Off: 4092, Len: 8}, syscall.EFAULT, "beyond the end"},
		"negative offset":   {devmem.Piece{Off: -4, Len: 4}, syscall.EFAULT, "negative"},
		"odd":               {devmem.Piece{Off: 2, Len: 4}, syscall.EINVAL, "multiples of 4"},
		"beyond the slice":  {devmem.Piece{At: 2000, Len: 4}, syscall.EINVAL, "a piece goes beyond the slice"},
		"ends beyond it":    {devmem.Piece{At: 1996, Len: 8}, syscall.EINVAL, "a piece goes beyond the slice"},
		"negative length":   {devmem.Piece{Len: -4}, syscall.EINVAL, "a piece goes beyond the slice"},
		"before the slice":  {devmem.Piece{At: -4, Len: 4}, syscall.EINVAL, "a piece goes beyond the slice"},
	}
	for _, kind := range []fakeprov.Kind{fakeprov.MLX5, fakeprov.Words} {
		f := open(t, load(t, kind), 4096)
		for name, b := range bad {
			for _, good := range []int{0, 3, 64, 100} {
				host := bytes.Repeat([]byte{0xaa}, 2000)
				clear(f.bytes)
				var pieces []devmem.Piece
				for i := range good {
					pieces = append(pieces, devmem.Piece{Off: int64(i) * 8, At: i * 8, Len: 4})
				}
				pieces = append(pieces, b.piece, devmem.Piece{Off: 3000, Len: 4})
				n, err := f.WriteV(host, pieces)
				checkError(t, err, b.errno, "ibv_memcpy_to_dm: ", b.text)
				m, readErr := f.ReadV(host, pieces)
				checkError(t, readErr, b.errno, "ibv_memcpy_from_dm: ", b.text)
				if n != good || m != good || bytes.Count(f.bytes, []byte{0xaa}) != 4*good || f.bytes[3000] != 0 {
					t.Errorf("%s, %s behind %d: %d and %d copied", kind.File, name, good, n, m)
				}
			}
		}
	}
	f := open(t, load(t, fakeprov.Bytes), 64)
	t.Cleanup(func() { f.provider.SetAnswer(0) })
	f.provider.SetAnswer(int(syscall.EIO))
	if n, err := f.WriteV(make([]byte, 8), []devmem.Piece{{Len: 4}, {Off: 8, Len: 4}}); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("the provider fails: %d, %v", n, err)
	}
}
