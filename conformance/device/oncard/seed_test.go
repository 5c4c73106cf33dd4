//go:build linux && cgo

package oncard

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
)

// beside returns C for the device of a handle's library.
func beside(t *testing.T) *asker {
	t.Helper()
	return newAsker(t, must(dl.Open(""))(t), card.Devices[0])
}

// TestSeedCopies writes in Go what C reads, and the other way round; a copy that one refuses the other refuses.
func TestSeedCopies(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(256)))(t)
	if dm.Mode() != devmem.Direct4 {
		t.Errorf("mode %v", dm.Mode())
	}
	object := uintptr(dm.CPtr())
	at := c.record("struct ibv_wc", nil) // any memory
	host := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), 256)

	want := bytes.Repeat([]byte("go to c."), 32)
	must(dm.WriteAt(want, 0))(t)
	if _, refused := c.call("ibv_memcpy_from_dm", m{"dm": object, "dm_offset": 0, "host_addr": at, "length": 256}); refused != "" ||
		!bytes.Equal(host, want) {
		t.Errorf("C read %q, %s", host[:16], refused)
	}
	copy(host[64:], "from C..")
	if _, refused := c.call("ibv_memcpy_to_dm", m{"dm": object, "dm_offset": 64, "host_addr": at + 64, "length": 8}); refused != "" {
		t.Error(refused)
	}
	got := make([]byte, 8)
	if must(dm.ReadAt(got, 64))(t); string(got) != "from C.." {
		t.Errorf("Go read %q", got)
	}
	for _, off := range []int64{0, 2, 4, 248, 252, 256, 260} {
		for _, n := range []int{1, 2, 4, 6, 8, 12, 256} {
			_, err := dm.WriteAt(make([]byte, n), off)
			_, refused := c.call("ibv_memcpy_to_dm", m{"dm": object, "dm_offset": int(off), "host_addr": at, "length": n})
			if (err != nil) != (refused != "") {
				t.Errorf("%d bytes at %d: %v in Go, %q in C", n, off, err, refused)
			}
		}
	}
}
