//go:build linux && cgo

package card

import (
	"errors"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"

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

// TestAllocator lets the real libmlx5 ask an allocator in Go for the memory of each kind of queue and of its doorbell record, and asks
// that all of it comes back. A call that libmlx5 comes back to Go from must not be marked nocallback: cgo would end the process.
func TestAllocator(t *testing.T) {
	dev := open(t, Devices[0])
	k := &keeper{all: map[uintptr]*mem.Buffer{}}
	pd := must(dev.AllocPD())(t)
	td := must(dev.AllocTD(verbs.NewTDInitAttr()))(t)
	domain := must(dev.AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td).Allocator(k).PDContext("context")))(t)
	cq := must(dev.CreateCQEx(verbs.NewCQInitAttrEx(16, 0).ParentDomain(domain)))(t)
	qp := must(domain.CreateQP(verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, MaxSendWR: 8, MaxRecvWR: 8, MaxSendSGE: 1, MaxRecvSGE: 1,
	}))(t)
	srq := must(domain.CreateSRQ(verbs.SRQInitAttr{MaxWR: 8, MaxSGE: 1}))(t)
	wq := must(dev.CreateWQ(verbs.NewWQInitAttr(domain, cq).MaxWR(8).MaxSGE(1)))(t)
	if err := cq.Resize(64); err != nil {
		t.Error(err)
	}
	// the codes of MLX5DV_RES_TYPE_* in mlx5dv.h: each queue has a doorbell record too
	const ofQP, ofWQ, doorbell, ofSRQ, ofCQ = 1, 2, 3, 4, 5
	if got := k.resources(); !slices.Equal(got, []uint32{ofQP, ofWQ, doorbell, doorbell, doorbell, doorbell, ofSRQ, ofCQ, ofCQ}) {
		t.Errorf("asked for memory of %v", got)
	}
	for _, r := range k.requests {
		if r.Context != "context" || r.PD != domain {
			t.Errorf("request %+v", r)
		}
	}
	if err := errors.Join(wq.Close(), srq.Close(), qp.Close(), cq.Close(), domain.Close(), td.Close(), pd.Close()); err != nil {
		t.Error(err)
	}
	if k.wrong || len(k.all) != 0 {
		t.Errorf("%d pieces of memory did not come back; wrong ones: %t", len(k.all), k.wrong)
	}
}

// TestImport opens the device's file a second time and finds the same device memory there, by its handle.
func TestImport(t *testing.T) {
	dev := open(t, Devices[0])
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
	dev := open(t, Devices[0])
	xrcd := must(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, os.O_CREATE)))(t)
	qp := must(dev.CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(xrcd)))(t)
	if _, err := dev.OpenQP(verbs.NewQPOpenAttr(xrcd, qp.Num(), verbs.QPTypeXRCRecv)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("OpenQP: %v", err)
	}
	if err := errors.Join(qp.Close(), xrcd.Close()); err != nil {
		t.Error(err)
	}
}
