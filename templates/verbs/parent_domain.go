//go:build ignore

//verbsgen:face struct ibv_pd *ibv_alloc_parent_domain(struct ibv_context *, struct ibv_parent_domain_init_attr *)
//verbsgen:value IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS 1
//verbsgen:value IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT 2
//verbsgen:field PD parent *PD // of a parent domain
//verbsgen:field PD calls *cmem.AllocCalls[PD] // of a parent domain with an allocator

package verbs

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// AllocParentDomain creates a parent domain, which can be used wherever a protection domain can.
//
// [rules ibv_alloc_parent_domain]
//
// C: ibv_alloc_parent_domain, ibv_alloc_parent_domain(3).
func (dev *Device) AllocParentDomain(attr *ParentDomainAttr) (*PD, error) {
	const verb = "ibv_alloc_parent_domain"
	if err := dev.base().Enter(verb); err != nil {
		return nil, err
	}
	defer dev.h.Exit()
	if attr == nil {
		return nil, fail.NilValue(verb, "ParentDomainAttr", "make one with NewParentDomainAttr")
	}
	attrC, pd, td := attr.c, attr.pd, attr.threadDomain
	if pd != nil {
		if err := pd.base().EnterBeside(&dev.h, verb, "pd"); err != nil {
			return nil, err
		}
		defer pd.h.Exit()
		attrC.pd = uintptr(pd.h.C)
	}
	if td != nil {
		if err := td.base().EnterBeside(&dev.h, verb, "td"); err != nil {
			return nil, err
		}
		defer td.h.Exit()
		attrC.td = uintptr(td.h.C)
	}
	calls, err := newAllocCalls(attr, &attrC)
	if err != nil {
		return nil, err
	}
	release := calls.Release
	defer object.Release(&release)
	if err := dev.judgeAllocParentDomain(&attrC); err != nil {
		return nil, err
	}
	ptr, errno := rawAllocParentDomain(dev.h.C, unsafe.Pointer(&attrC))
	if ptr == nil {
		return nil, dev.removed(calls.Failed(verb, errno, func() []string {
			return fail.Causes(errno, fail.Cause{Errno: syscall.EOPNOTSUPP,
				Text: "the provider of the device has no parent domains; use the protection domain"})
		}))
	}
	o := newPD(dev, ptr)
	o.h.Kept, release = release, nil // kept until Close has succeeded
	o.parent, o.calls = pd, calls
	o.h.Qualify("parent domain of ")
	calls.Bind(o)
	td.base().Alone()
	if err := o.h.Adopt(&dev.h.Node, pd.base().Optional(), td.base().Optional()); err != nil {
		return nil, err
	}
	return o, nil
}

// Parent returns the protection domain that a parent domain extends; nil for a protection domain.
func (pd *PD) Parent() *PD { return object.OrZero(pd).parent }

// AllocRequest is what a provider asks of an Allocator.
type AllocRequest struct {
	PD       *PD           // the parent domain; nil while it is still being made
	Size     uint64        // bytes wanted
	Align    uint64        // alignment wanted of the address, in bytes
	Resource AllocResource // what for: the driver's id and a code of its own
	Context  any           // what PDContext was given
}

// AllocResource says what memory is for: the number of the driver that asks, and a code of that driver.
type AllocResource = cmem.AllocResource

// Allocator allocates the memory of a provider's own buffers. Its methods may be called from several threads at once, on
// threads of C. They must not call verbs; Close and CloseAll of what the call uses return syscall.EBUSY at once.
//
// C: alloc and free of struct ibv_parent_domain_init_attr, ibv_alloc_parent_domain(3).
type Allocator interface {
	// Alloc returns the address of zeroed memory that a fork does not copy and that is not on Go's heap, such as a mem.Buffer. ErrUseDefault
	// lets the provider allocate as it would without an Allocator. After any other error, the verb that needed the memory fails.
	Alloc(req AllocRequest) (addr uintptr, err error)
	// Free takes back what Alloc gave; Size and Align are 0.
	Free(req AllocRequest, addr uintptr)
}

// ErrUseDefault is the error by which an Allocator lets the provider allocate the memory itself.
//
// C: IBV_ALLOCATOR_USE_DEFAULT, ibv_alloc_parent_domain(3).
var ErrUseDefault = cmem.ErrUseDefault

// newAllocCalls registers the allocator of a, if it has one, and puts the callbacks into c.
func newAllocCalls(a *ParentDomainAttr, c *cParentDomainInitAttr) (calls *cmem.AllocCalls[PD], err error) {
	with, user := a.allocator, a.userContext
	if with == nil {
		return nil, nil
	}
	calls, c.alloc, c.free, c.pd_context, err = cmem.NewAllocCalls(cmem.Allocator[PD]{
		Alloc: func(pd *PD, size, align uint64, resource cmem.AllocResource) (uintptr, error) {
			return with.Alloc(AllocRequest{PD: pd, Size: size, Align: align, Resource: resource, Context: user})
		},
		Free: func(pd *PD, addr uintptr, resource cmem.AllocResource) {
			with.Free(AllocRequest{PD: pd, Resource: resource, Context: user}, addr)
		},
	})
	if err != nil {
		return nil, err
	}
	c.comp_mask |= 0x1 | 0x2 // IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS and _PD_CONTEXT
	return calls, nil
}
