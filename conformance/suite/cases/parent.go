//go:build linux && cgo

package cases

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

func parent() []suite.Case {
	parent := shared("ibv_alloc_parent_domain")
	allocates := shared("ibv_alloc_parent_domain", suite.Allocator)
	rules := []string{"VR-ibv_alloc_parent_domain-alloc-0138", "VR-ibv_alloc_parent_domain-free-0137"}
	return []suite.Case{
		parent("CF-par-0001", "stands in for its domain", parentDomain, suite.ParentDomain).Ruled("VR-ibv_alloc_parent_domain-pd-0135"),
		parent("CF-par-0002", "with a thread domain, which it holds", threadDomain, suite.ParentDomain, suite.TD).Ruled(
			"VR-ibv_dealloc_td-td-0154"),
		allocates("CF-par-0003", "its allocator is asked, and gets everything back", allocator).Ruled(rules...),
		allocates("CF-par-0004", "its allocator leaves it to the provider", func(t *suite.T) {
			allocating(t, func(verbs.AllocRequest) (uintptr, error) { return 0, verbs.ErrUseDefault }, "")
		}).Ruled(rules...),
		allocates("CF-par-0005", "its allocator fails: the verb fails, with its words", func(t *suite.T) {
			allocating(t, func(verbs.AllocRequest) (uintptr, error) { return 0, errors.New("no memory for you") }, "no memory for you")
		}).Ruled(rules...),
		allocates("CF-par-0006", "its allocator panics: the verb fails", func(t *suite.T) {
			allocating(t, func(verbs.AllocRequest) (uintptr, error) { panic("in a callback") }, "in a callback")
		}).Ruled(rules...),
		parent("CF-par-0007", "nothing, or no domain, to extend", func(t *suite.T) {
			for name, attr := range map[string]*verbs.ParentDomainAttr{"nil attribute": nil, "nil domain": verbs.NewParentDomainAttr(nil)} {
				fails(t, name, errorOf(t.Device().AllocParentDomain(attr)), syscall.EINVAL)
			}
		}).Ruled("VR-ibv_alloc_parent_domain-attr-0134", "VR-ibv_alloc_parent_domain-pd-0135"),
	}
}

func parentDomain(t *suite.T) {
	pd := newPD(t)
	pp := must(t.Device().AllocParentDomain(verbs.NewParentDomainAttr(pd)))(t)
	is(t, "Parent", pp.Parent(), pd)
	mr := must(pp.RegMR(make([]byte, 64), 0))(t)
	is(t, "PD of a region", mr.PD(), pp)
	fails(t, "Close of the domain", pd.Close(), syscall.EBUSY)
	inUse(t, pp.Close(), "MR")
	t.OK("the region", mr.Close())
	t.OK("the parent domain", pp.Close())
	t.OK("the domain", pd.Close())
}

func threadDomain(t *suite.T) {
	pd := newPD(t)
	td := newTD(t)
	pp := must(t.Device().AllocParentDomain(verbs.NewParentDomainAttr(pd).ThreadDomain(td)))(t)
	fails(t, "Close of the thread domain in use", td.Close(), syscall.EBUSY)
	t.OK("the parent domain", pp.Close())
	t.OK("the thread domain", td.Close())
	t.OK("the domain", pd.Close())
}

// recorder is an allocator that notes what it is asked.
type recorder struct {
	mu     sync.Mutex
	answer func(verbs.AllocRequest) (uintptr, error)
	asked  []verbs.AllocRequest
	bufs   map[uintptr]*mem.Buffer
	wrong  []error
}

func (r *recorder) Alloc(req verbs.AllocRequest) (uintptr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, req)
	if r.answer != nil {
		return r.answer(req)
	}
	buf, err := mem.New(req.Size)
	if err != nil {
		return 0, err
	}
	r.bufs[buf.Addr()] = buf
	return buf.Addr(), nil
}

func (r *recorder) Free(_ verbs.AllocRequest, addr uintptr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	buf := r.bufs[addr]
	if buf == nil {
		r.wrong = append(r.wrong, errors.New("free of what Alloc did not give"))
		return
	}
	delete(r.bufs, addr)
	if err := buf.Close(); err != nil {
		r.wrong = append(r.wrong, err)
	}
}

func allocator(t *suite.T) {
	r := allocating(t, nil, "")
	if len(r.bufs) > 0 || len(r.wrong) > 0 {
		t.Errorf("%d blocks were not given back; %v", len(r.bufs), errors.Join(r.wrong...))
	}
}

// needsMemory makes what has its memory from the allocator: a region on the software device, a queue pair on mlx5.
func needsMemory(t *suite.T, pp *verbs.PD) (io.Closer, error) {
	if t.Soft() != nil {
		return pp.RegMR(make([]byte, 64), 0)
	}
	return pp.CreateQP(suite.OneEach(verbs.QPTypeRC, must(t.Device().CreateCQ(4, nil, 0))(t)))
}

// allocating makes an object on a parent domain whose allocator answers so, and checks what it was asked. fails is what the
// error then says; empty: there is none.
func allocating(t *suite.T, answer func(verbs.AllocRequest) (uintptr, error), fails string) *recorder {
	pd := newPD(t)
	r := &recorder{answer: answer, bufs: map[uintptr]*mem.Buffer{}}
	pp := must(t.Device().AllocParentDomain(verbs.NewParentDomainAttr(pd).Allocator(r).PDContext("mine")))(t)
	made, err := needsMemory(t, pp)
	if len(r.asked) == 0 {
		t.Fatalf("the allocator was not asked; the verb: %v", err)
	}
	if q := r.asked[0]; q.PD != pp || q.Context != "mine" || q.Size == 0 {
		t.Errorf("asked %+v", q)
	}
	if fails != "" {
		if err == nil || !strings.Contains(err.Error(), fails) {
			t.Errorf("the error does not say %q: %v", fails, err)
		}
		return r
	}
	need(t, err)
	t.OK("Close", made.Close())
	return r
}
