//go:build linux && cgo

package oncard

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// keeper is an allocator that counts.
type keeper struct {
	mu       sync.Mutex
	all      map[uintptr]*mem.Buffer
	requests []verbs.AllocRequest
	wrong    bool
}

func (k *keeper) Alloc(req verbs.AllocRequest) (uintptr, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := mem.New(req.Size)
	if err != nil {
		return 0, err
	}
	k.requests = append(k.requests, req)
	k.all[b.Addr()] = b
	return b.Addr(), nil
}

func (k *keeper) Free(_ verbs.AllocRequest, addr uintptr) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.all[addr]
	delete(k.all, addr)
	k.wrong = k.wrong || b == nil || b.Close() != nil
}

// resources returns what the memory was asked for, by the driver's codes.
func (k *keeper) resources() (out []uint32) {
	for _, r := range k.requests {
		out = append(out, r.Resource.Code())
	}
	slices.Sort(out)
	return out
}

// fill makes a completion queue, and queues of each other kind, on a domain.
func fill(t *testing.T, dev *verbs.Device, domain *verbs.PD) (cq *verbs.CQ, all []interface{ Close() error }) {
	t.Helper()
	cq = must(dev.CreateCQEx(verbs.NewCQInitAttrEx(16, 0).ParentDomain(domain)))(t)
	xrcd := must(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, os.O_CREATE)))(t)
	return cq, []interface{ Close() error }{
		must(domain.CreateQP(verbs.QPInitAttr{
			Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1,
		}))(t),
		must(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, cq, domain).SendOps(verbs.QPOpSend).
			MaxSendWR(8).MaxRecvWR(8).MaxSendSGE(1).MaxRecvSGE(1)))(t),
		must(domain.CreateSRQ(verbs.SRQInitAttr{MaxWR: 8, MaxSGE: 1}))(t),
		must(dev.CreateWQ(verbs.NewWQInitAttr(domain, cq).MaxWR(8).MaxSGE(1)))(t),
		must(dev.CreateSRQEx(verbs.NewSRQInitAttrEx(domain, 8, 1).Type(verbs.SRQTypeXRC).XRCD(xrcd).CQ(cq)))(t), xrcd,
	}
}

// TestAllocator lets the real libmlx5 ask an allocator in Go for the memory of each kind of queue and of its doorbell record, and asks
// that all of it comes back. libmlx5 44.0 returns that of the XRC shared receive queue only if ibv_create_srq_ex stores the domain in
// struct ibv_srq, which its provider leaves out. A call that libmlx5 comes back to Go from must not be marked nocallback: cgo would end the
// process.
func TestAllocator(t *testing.T) {
	dev := open(t, card.Devices[0])
	k := &keeper{all: map[uintptr]*mem.Buffer{}}
	pd := must(dev.AllocPD())(t)
	domain := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).Allocator(k).PDContext("context")))(t)
	cq, queues := fill(t, dev, domain)
	if err := cq.Resize(64); err != nil {
		t.Error(err)
	}
	// the codes of MLX5DV_RES_TYPE_* in mlx5dv.h: each queue has a doorbell record too
	const ofQP, ofWQ, doorbell, ofSRQ, ofCQ = 1, 2, 3, 4, 5
	want := []uint32{ofQP, ofQP, ofWQ, doorbell, doorbell, doorbell, doorbell, doorbell, doorbell, ofSRQ, ofSRQ, ofCQ, ofCQ}
	if got := k.resources(); !slices.Equal(got, want) {
		t.Errorf("asked for memory of %v", got)
	}
	for _, r := range k.requests {
		align := uint64(syscall.Getpagesize())
		switch r.Resource.Code() {
		case doorbell:
			align = 8
		case ofQP:
			align = 64
		}
		if r.Context != "context" || r.PD != domain || r.Resource.DriverID() != driverMLX5 || r.Align != align {
			t.Errorf("request %+v", r)
		}
	}
	for _, q := range queues {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(cq.Close(), domain.Close(), pd.Close()); err != nil {
		t.Error(err)
	}
	if k.wrong || len(k.all) != 0 {
		t.Errorf("%d pieces of memory did not come back; wrong ones: %t", len(k.all), k.wrong)
	}
}

// driverMLX5 is RDMA_DRIVER_MLX5 of the kernel.
const driverMLX5 = 1

// leaver is an allocator that leaves all requests to the provider.
type leaver struct{ asked, freed int }

func (l *leaver) Alloc(verbs.AllocRequest) (uintptr, error) {
	l.asked++
	return 0, verbs.ErrUseDefault
}

func (l *leaver) Free(verbs.AllocRequest, uintptr) { l.freed++ }

// TestUseDefault lets the real libmlx5 allocate after all: then it frees too.
func TestUseDefault(t *testing.T) {
	dev := open(t, card.Devices[0])
	l := &leaver{}
	domain := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(must(dev.AllocPD())(t)).Allocator(l)))(t)
	cq, queues := fill(t, dev, domain)
	for _, q := range queues {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := cq.Close(); err != nil || l.asked == 0 || l.freed != 0 {
		t.Errorf("asked %d times, told to free %d times: %v", l.asked, l.freed, err)
	}
}

// TestRefusedInC makes calls in C that the bindings do not make. Parent domains need their thread domain, which libmlx5 counts, and windows
// the region that they are bound to; a completion channel is an open file.
func TestRefusedInC(t *testing.T) {
	c, dev := beside(t), open(t, card.Devices[0])
	td, pd := must(dev.AllocTD())(t), must(dev.AllocPD())(t)
	must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td)))(t)
	a, _ := pair(t, link.Default())
	mr := must(a.PD.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessMWBind))(t)
	bind := verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 64, Access: verbs.MWAccessRemoteRead, SendFlags: verbs.SendSignaled}
	must(0, a.QP.BindMW(must(a.PD.AllocMW(verbs.MWType1))(t), bind))(t)
	must(0, must(a.Wait())(t).Err())(t)
	for _, want := range []struct {
		verb   string
		args   m
		answer string
	}{
		{"ibv_dealloc_td", m{"td": uintptr(td.CPtr())}, "EBUSY"},
		{"ibv_dereg_mr", m{"mr": uintptr(mr.CPtr())}, "EBUSY"},
		{"ibv_create_cq", m{"cqe": 4, "channel": c.record("struct ibv_comp_channel", m{"fd": 1 << 20})}, "EBADF"},
	} {
		if _, refused := c.call(want.verb, want.args); refused != want.answer {
			t.Errorf("%s: %q, want %s", want.verb, refused, want.answer)
		}
	}
}

// TestImport opens the device's file a second time and finds the same device memory there, by its handle.
func TestImport(t *testing.T) {
	dev := open(t, card.Devices[0])
	fd := must(syscall.Dup(dev.CmdFD()))(t) // a copy that no call of the C library made
	other := must(must(verbs.Load())(t).ImportDevice(fd))(t)
	dm := must(dev.AllocDM(verbs.NewAllocDMAttr(256)))(t)
	imported := must(other.ImportDM(dm.Handle(), 0))(t)
	must(dm.WriteAt([]byte("seen by both...."), 16))(t)
	got := make([]byte, 16)
	must(imported.ReadAt(got, 16))(t)
	if n, known := imported.Length(); string(got) != "seen by both...." || n != 256 || !known {
		t.Errorf("through the import: %q, length %d (known: %t)", got, n, known)
	}
	if err := errors.Join(imported.Unimport(), dm.Close(), other.CloseAll()); err != nil {
		t.Error(err)
	}
}

// TestOpenQP: the bindings do not open a queue pair that libmlx5 could not close.
func TestOpenQP(t *testing.T) {
	dev := open(t, card.Devices[0])
	xrcd := must(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, os.O_CREATE)))(t)
	qp := must(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(xrcd)))(t)
	if _, err := dev.OpenQP(verbs.NewQPOpenAttr(xrcd, qp.Num(), verbs.QPTypeXRCRecv)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("OpenQP: %v", err)
	}
	other := must(must(verbs.Load())(t).ImportDevice(dev.CmdFD()))(t) // a second context, whose name the library does not give
	there := must(other.OpenXRCD(verbs.NewXRCDInitAttr(-1, os.O_CREATE)))(t)
	if _, err := other.OpenQP(verbs.NewQPOpenAttr(there, qp.Num(), verbs.QPTypeXRCRecv)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("OpenQP of an imported device: %v", err)
	}
	if err := errors.Join(there.Close(), other.Close()); err != nil {
		t.Error(err)
	}
	if err := errors.Join(qp.Close(), xrcd.Close()); err != nil {
		t.Error(err)
	}
}
