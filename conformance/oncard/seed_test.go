//go:build linux && cgo

package oncard

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// The verbs that only mlx5 has, each with the real libmlx5, in Go with C beside it.

// beside returns C for the device of a handle's library.
func beside(t *testing.T) *asker {
	t.Helper()
	return newAsker(t, must(dl.Open(""))(t), card.Devices[0])
}

// same holds the errors of a call in Go and in C against each other. Go's may be that of a rule, which has the errno too.
func same(t *testing.T, what string, err error, inC string) {
	t.Helper()
	in := ""
	var errno syscall.Errno
	if errors.As(err, &errno) {
		in = unix.ErrnoName(errno)
	} else if err != nil {
		in = err.Error()
	}
	if in != inC {
		t.Errorf("%s: %q in Go, %q in C", what, in, inC)
	}
}

// fileOf returns the file that an address of this process is mapped from.
func fileOf(t *testing.T, at uintptr) string {
	t.Helper()
	for line := range strings.Lines(string(must(os.ReadFile("/proc/self/maps"))(t))) {
		var from, to uintptr
		if n, err := fmt.Sscanf(line, "%x-%x", &from, &to); n == 2 && err == nil && from <= at && at < to {
			fields := strings.Fields(line)
			return fields[len(fields)-1]
		}
	}
	return ""
}

// TestSeedAllocDM allocates device memory in Go and in C: the functions that copy are those of libmlx5.
func TestSeedAllocDM(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	for _, n := range []uint64{1, 64, 1000, 256 << 10, 1 << 20, 1 << 40} {
		dm, err := dev.AllocDM(verbs.NewAllocDMAttr(n).LogAlignReq(6))
		if err == nil {
			err = dm.Close()
		}
		made, refused := c.call("ibv_alloc_dm", m{"attr": m{"length": n, "log_align_req": 6}})
		same(t, strconv.FormatUint(n, 10)+" bytes", err, refused)
		c.end("ibv_free_dm", "dm", made)
	}
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
	for _, field := range []string{"memcpy_to_dm", "memcpy_from_dm"} {
		if file := fileOf(t, uintptr(c.u.Read(uintptr(dm.CPtr()), "struct ibv_dm", field))); !strings.Contains(file, "libmlx5") {
			t.Errorf("%s is a function of %q", field, file)
		}
	}
}

// TestSeedCopies writes in Go what C reads, and the other way round; a copy that one refuses the other refuses.
func TestSeedCopies(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(256)))(t)
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

// TestSeedRegDMMR registers device memory in Go and in C: both regions have one key, begin at 0 and have the length.
func TestSeedRegDMMR(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	pd, dm := must(dev.AllocPD())(t), must(dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
	args := m{"pd": uintptr(pd.CPtr()), "dm": uintptr(dm.CPtr()), "dm_offset": 64, "length": 128, "access": 0x2f}
	made, refused := c.call("ibv_reg_dm_mr", args)
	if refused != "" {
		t.Fatal(refused)
	}
	mr := must(pd.RegDMMR(dm, 64, 128, verbs.DMAccess(0x2f)))(t)
	for _, object := range []uintptr{made, uintptr(mr.CPtr())} {
		const tag = "struct ibv_mr"
		if c.u.Read(object, tag, "lkey") != c.u.Read(object, tag, "rkey") || c.fields(object, tag, "addr", "length") != "0 128" {
			t.Errorf("a region of %s", c.fields(object, tag, "addr", "length", "lkey", "rkey"))
		}
	}
	for _, access := range []uint32{0, 1, 0x20, 0x21, 0x22, 0x30, 0x100020} {
		r, err := pd.RegDMMR(dm, 0, 64, verbs.DMAccess(access))
		if err == nil {
			err = r.Close()
		}
		args["dm_offset"], args["length"], args["access"] = 0, 64, int(access)
		other, refused := c.call("ibv_reg_dm_mr", args)
		same(t, fmt.Sprintf("access %#x", access), err, refused)
		c.end("ibv_dereg_mr", "mr", other)
	}
	c.end("ibv_dereg_mr", "mr", made)
}

// TestSeedImportDM imports device memory by its handle, in Go and in C, from a context of the same file.
func TestSeedImportDM(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	other := must(must(verbs.Load())(t).ImportDevice(dev.CmdFD()))(t)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(128)))(t)
	must(dm.WriteAt([]byte("in both.contexts"), 0))(t)
	imported := must(other.ImportDM(dm.Handle(), 128))(t)
	context := uintptr(other.CPtr())
	inC, refused := c.call("ibv_import_dm", m{"context": context, "dm_handle": int(dm.Handle())})
	if refused != "" {
		t.Fatal(refused)
	}
	at := c.record("struct ibv_wc", nil)
	_, refused = c.call("ibv_memcpy_from_dm", m{"dm": inC, "dm_offset": 0, "host_addr": at, "length": 16})
	got := make([]byte, 16)
	must(imported.ReadAt(got, 0))(t)
	host := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), 16)
	if refused != "" || !bytes.Equal(got, host) || string(got[:7]) != "in both" {
		t.Errorf("%q in Go, %q in C, %s", got, host, refused)
	}
	_, err := other.ImportDM(12345, 128)
	_, refused = c.call("ibv_import_dm", m{"context": context, "dm_handle": 12345})
	same(t, "a handle of nothing", err, refused)
	_, _ = c.call("ibv_unimport_dm", m{"dm": inC}) // it returns nothing
	if err := errors.Join(imported.Unimport(), dm.Close(), other.CloseAll()); err != nil {
		t.Error(err)
	}
}

// refuser is an allocator that has nothing.
type refuser struct{ keeper }

func (*refuser) Alloc(verbs.AllocRequest) (uintptr, error) { return 0, syscall.ENOMEM }

// TestSeedParentDomain makes queues of each kind on parent domains: with an allocator whose memory libmlx5 uses, one that has none, and
// without; C says what a domain without allocators grants.
func TestSeedParentDomain(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	pd, cq := must(dev.AllocPD())(t), must(dev.CreateCQ(16, nil, 0))(t)
	inC, refused := c.call("ibv_alloc_parent_domain", m{"context": uintptr(dev.CPtr()), "attr": m{"pd": uintptr(pd.CPtr())}})
	if refused != "" {
		t.Fatal(refused)
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1}
	k := &keeper{all: map[uintptr]*mem.Buffer{}}
	for name, a := range map[string]verbs.Allocator{"memory": k, "no memory": &refuser{}} {
		domain := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).Allocator(a)))(t)
		qp, err := domain.CreateQP(attr)
		if ok := err == nil; ok != (a == verbs.Allocator(k)) {
			t.Errorf("an allocator with %s: %v", name, err)
		}
		if err == nil {
			err = qp.Close()
		} else if errors.Is(err, syscall.ENOMEM) {
			err = nil
		}
		if err := errors.Join(err, domain.Close()); err != nil {
			t.Errorf("an allocator with %s: %v", name, err)
		}
	}
	cqC := uintptr(cq.CPtr())
	qp, refused := c.call("ibv_create_qp", m{"pd": inC, "qp_init_attr": m{"qp_type": "IBV_QPT_RC", "send_cq": cqC, "recv_cq": cqC}})
	if refused != "" {
		t.Error(refused)
	}
	c.end("ibv_destroy_qp", "qp", qp)
	c.end("ibv_dealloc_pd", "pd", inC)
	if k.wrong || len(k.all) != 0 || len(k.requests) == 0 {
		t.Errorf("%d requests, %d pieces did not come back", len(k.requests), len(k.all))
	}
}

// TestSeedRegDMABufMR registers a memfd in place of a DMA-buf, in Go and in C.
func TestSeedRegDMABufMR(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	pd := must(dev.AllocPD())(t)
	fd := must(unix.MemfdCreate("dma-buf", unix.MFD_CLOEXEC))(t)
	defer unix.Close(fd)
	const size = 1 << 20 // as C's
	if err := unix.Ftruncate(fd, size); err != nil {
		t.Fatal(err)
	}
	ranges := [][3]uint64{
		{0, size, 0}, {4096, 4096, 4096}, {100, 200, 100}, {100, 200, 0},
		{0, size + 1, 0}, {size, 1, 0}, {0, 0, 0},
	}
	for _, at := range ranges {
		mr, err := pd.RegDMABufMR(mem.DMABuf{FD: fd, Offset: at[0], Length: at[1]}, at[2], verbs.DMABufAccessLocalWrite)
		if err == nil {
			err = mr.Close()
		}
		made, refused := c.call("ibv_reg_dmabuf_mr", m{"pd": uintptr(pd.CPtr()), "offset": at[0], "length": at[1], "iova": at[2],
			"fd": 0, "access": 1}) // rulecall has a memfd of its own
		same(t, fmt.Sprintf("offset %d, length %d, iova %d", at[0], at[1], at[2]), err, refused)
		c.end("ibv_dereg_mr", "mr", made)
	}
}
