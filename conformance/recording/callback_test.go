//go:build linux && cgo

package recording

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// keeper is an allocator that keeps what it was asked for.
type keeper struct {
	answer    uintptr
	alloc     verbs.AllocRequest
	free      verbs.AllocRequest
	freedAddr uintptr
}

func (k *keeper) Alloc(r verbs.AllocRequest) (uintptr, error) {
	k.alloc = r
	return k.answer, nil
}

func (k *keeper) Free(r verbs.AllocRequest, addr uintptr) { k.free, k.freedAddr = r, addr }

// TestCallbacks lets C call an allocator: each argument arrives in its field, and the result arrives in C.
func TestCallbacks(t *testing.T) {
	b := open(t)
	pd, _ := b.handle("PD")
	k := &keeper{answer: b.memory.buffer(t).Addr()}
	parent := must(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(pd.Interface().(*verbs.PD)).Allocator(k).PDContext("mine")))(t)
	call := b.last("ibv_alloc_parent_domain")
	field := func(name string) uintptr { return uintptr(must(Number(call.In, "attr."+name))(t)) }
	const size = regionSize - 0x123 // the memory is as long, and has the alignment
	got, _, _ := rawcall.Call(field("alloc"), uintptr(call.Result), field("pd_context"), size, 4096, 0x3344556677889900)
	if want := (verbs.AllocRequest{PD: parent, Size: size, Align: 4096, Resource: 0x3344556677889900,
		Context: "mine"}); k.alloc != want {
		t.Errorf("alloc: Go sees %+v, not %+v", k.alloc, want)
	}
	if got != k.answer {
		t.Errorf("alloc: C sees %#x, not %#x", got, k.answer)
	}
	rawcall.Call(field("free"), uintptr(call.Result), field("pd_context"), got, 0x4455667788990011)
	if want := (verbs.AllocRequest{PD: parent, Resource: 0x4455667788990011, Context: "mine"}); k.free != want || k.freedAddr != k.answer {
		t.Errorf("free: Go sees %+v, %#x, not %+v, %#x", k.free, k.freedAddr, want, k.answer)
	}
}
