package emit

import (
	"fmt"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// parentDomainPrep hands the caller's allocator to C, as far as there is one.
func parentDomainPrep(p *model.Param, fail string) string {
	return fmt.Sprintf("calls, err := newAllocCalls(%[1]s, &%[1]sC)\nif err != nil {\nreturn %[2]serr\n}\nrelease := calls.release\ndefer func() {\nif release != nil {\nrelease()\n}\n}()", p.Go, fail)
}

// allocator writes the Go face of a parent domain's allocators.
func (e *emitter) allocator(g *goFile) {
	v := e.parentDomain()
	var attr *model.Record
	for _, p := range v.Params {
		if p.Record != nil {
			attr = p.Record
		}
	}
	bits := map[string]string{}
	for _, f := range attr.Fields {
		if f.Callback != "" && f.Bit != nil {
			bits[f.Callback] = fmt.Sprintf("0x%x // %s", uint64(f.BitValue), f.Bit.C)
		}
	}
	g.add("%s", `// AllocRequest is what a provider asks of an Allocator.
type AllocRequest struct {
	PD       *PD    // the parent domain; nil while it is still being made
	Size     uint64 // bytes wanted
	Align    uint64 // alignment wanted of the address, in bytes
	Resource pdalloc.Resource // what for: the driver's id and a code of its own
	Context  any    // what PDContext was given
}

// Allocator gives a provider memory for its own buffers. Its methods may be called from several threads at once, on
// threads of C. They must not call verbs.
//
// C: alloc and free of struct ibv_parent_domain_init_attr, ibv_alloc_parent_domain(3).
type Allocator interface {
	// Alloc answers with the address of zeroed memory that a fork does not copy and that is not Go's: that of a
	// mem.Buffer, for one. ErrUseDefault lets the provider allocate as it would without an Allocator. Any other error
	// fails the verb that asked.
	Alloc(req AllocRequest) (addr uintptr, err error)
	// Free takes back what Alloc gave; Size and Align are 0.
	Free(req AllocRequest, addr uintptr)
}

// ErrUseDefault is the answer of an Allocator that leaves the request to the provider.
//
// C: IBV_ALLOCATOR_USE_DEFAULT, ibv_alloc_parent_domain(3).
var ErrUseDefault = errors.New("use the provider's own allocator")

// allocCalls ties an Allocator to the C callbacks of one parent domain.
type allocCalls struct {
	a    Allocator
	user any
	pd   atomic.Pointer[PD]
	id   uintptr // 0 without an allocator
}`)
	g.add("%s", fmt.Sprintf(`// newAllocCalls registers the allocator of a, if it has one, and puts the callbacks into c.
func newAllocCalls(a *%[1]s, c *%[2]s) (*allocCalls, error) {
	calls := &allocCalls{a: a.allocator, user: a.userContext}
	if calls.a == nil {
		return calls, nil
	}
	id, alloc, free, err := pdalloc.Register(pdalloc.Funcs{Alloc: calls.alloc, Free: calls.free})
	if err != nil {
		return nil, err
	}
	calls.id = id
	c.alloc, c.free, c.pd_context = alloc, free, id
	c.%[3]s |= %[4]s
	c.%[3]s |= %[5]s
	return calls, nil
}`, attr.Go, attr.Mirror.Name, attr.Mask, bits["allocator"], bits["context"]))
	g.add("%s", `// alloc answers a request from C.
func (c *allocCalls) alloc(size, align, resource uint64) (addr uintptr, useDefault bool, err error) {
	addr, err = c.a.Alloc(AllocRequest{PD: c.pd.Load(), Size: size, Align: align, Resource: pdalloc.Resource(resource), Context: c.user})
	if errors.Is(err, ErrUseDefault) {
		return 0, true, nil
	}
	return addr, false, err
}

// free takes memory back from C.
func (c *allocCalls) free(addr uintptr, resource uint64) {
	c.a.Free(AllocRequest{PD: c.pd.Load(), Resource: pdalloc.Resource(resource), Context: c.user}, addr)
}

// bind tells later requests which parent domain they are for.
func (c *allocCalls) bind(pd *PD) { c.pd.Store(pd) }

// release takes the callbacks away, once no C object can call them any more.
func (c *allocCalls) release() {
	if c.id != 0 {
		pdalloc.Release(c.id)
	}
}

// begin forgets what the allocator said to an earlier verb.
func (c *allocCalls) begin() {
	if c != nil && c.id != 0 {
		_ = pdalloc.LastError(c.id)
	}
}

// failed is the error of a verb that may have asked the allocator, with what the allocator said.
func (c *allocCalls) failed(verb string, errno syscall.Errno, hints func() []string) error {
	err := verr.Failed(verb, errno, hints)
	if c == nil || c.id == 0 {
		return err
	}
	if e, ok := err.(*verr.Error); ok {
		e.Err = pdalloc.LastError(c.id)
	}
	return err
}`)
}
