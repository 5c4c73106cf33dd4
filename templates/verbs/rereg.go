//go:build ignore

//verbsgen:face int ibv_rereg_mr(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int)

package verbs

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// MRChange is a set of changes to a memory region, made by one call of MR.Rereg. The flags of the call follow from the methods
// that are called, so that they and the other arguments cannot disagree.
//
// C: the arguments of ibv_rereg_mr, ibv_rereg_mr(3).
type MRChange struct {
	pd     *PD
	access MRAccess
	what   bridge.Change // the new memory, and the flags
}

// PD moves the region to another protection domain of the same device. If CloseAll is closing the region or the new domain in another
// goroutine, Rereg returns os.ErrClosed, and the region stays in its old domain. C: IBV_REREG_MR_CHANGE_PD.
func (c *MRChange) PD(pd *PD) *MRChange {
	c = object.OrZero(c)
	c.pd = pd
	c.what.Flags |= int32(MRChangeFlagsPD)
	return c
}

// Memory makes the region cover other memory. A slice and a pin stay pinned, and a buffer cannot be closed, until the region covers other
// memory or is closed.
// C: IBV_REREG_MR_CHANGE_TRANSLATION.
func (c *MRChange) Memory(from mem.Source) *MRChange {
	c = object.OrZero(c)
	c.what.Memory(int32(MRChangeFlagsTranslation), from)
	return c
}

// Access sets the access flags of the region. C: IBV_REREG_MR_CHANGE_ACCESS.
func (c *MRChange) Access(access MRAccess) *MRChange {
	c = object.OrZero(c)
	c.access = access
	c.what.Flags |= int32(MRChangeFlagsAccess)
	return c
}

// Rereg changes a memory region in place.
//
// [rules ibv_rereg_mr]
//
// C: ibv_rereg_mr, ibv_rereg_mr(3).
func (mr *MR) Rereg(change *MRChange) error {
	const verb = "ibv_rereg_mr"
	if change == nil {
		return fail.NilValue(verb, "MRChange", "make one with new(MRChange)")
	}
	if err := mr.base().Enter(verb); err != nil {
		return err
	}
	defer mr.h.Exit()
	var pdC unsafe.Pointer
	if change.pd != nil {
		if err := change.pd.base().EnterBeside(&mr.h, verb, "pd"); err != nil {
			return err
		}
		defer change.pd.h.Exit()
		pdC = change.pd.h.C
	}
	held, err := change.what.Take(verb, mr.h.String())
	if err != nil {
		return err
	}
	report, err := mr.judgeReregMR(MRChangeFlags(change.what.Flags), pdC, held.Addr, held.Len, change.access)
	if err != nil {
		held.Release()
		return err
	}
	if err := mr.rereg(verb, change, pdC, held); err != nil {
		return err
	}
	report()
	return nil
}

// rereg makes a change that the rules allow.
func (mr *MR) rereg(verb string, change *MRChange, pdC unsafe.Pointer, held cmem.Held) error {
	mr.mu.Lock()
	defer mr.mu.Unlock()
	move, err := object.BeginMove(verb, &mr.h.Node, mr.pd.base().Optional(), change.pd.base().Optional())
	if err != nil {
		held.Release()
		return err
	}
	code, errno := rawReregMR(mr.lib.fn[symIbv_rereg_mr], mr.h.C, change.what.Flags, pdC, held.Addr, held.Len, int32(change.access))
	return mr.dev.removed(change.what.Settle(verb, code, errno, bridge.Region{
		Move:    move,
		Release: &mr.h.Kept,
		New:     held,
		Changed: func() { mr.changed(change, uint64(held.Addr)) },
		Why:     func() []string { return mr.whyNot(change, errno, held) },
	}))
}

// whyNot explains why the memory of a change could not be registered. A change that leaves the access as it is may have any.
func (mr *MR) whyNot(change *MRChange, errno syscall.Errno, held cmem.Held) []string {
	addr, length, access := uint64(held.Addr), held.Len, change.access
	if !change.what.Moves() {
		addr, length = uint64(mr.addr), mr.length
	}
	if change.what.Flags&int32(MRChangeFlagsAccess) == 0 {
		access = MRAccessLocalWrite
	}
	return fail.MemoryHints(mr.lib.src, mr.dev.h.Label(), errno, addr, length, uint64(access))
}

// changed reads the region again after a change. The caller holds the lock.
func (mr *MR) changed(change *MRChange, start uint64) {
	if change.pd != nil {
		mr.pd = change.pd
	}
	mr.load()
	if change.what.Moves() {
		mr.place(start, dpath.Vague(uint64(change.access), uint64(MRAccessZeroBased)))
	} else {
		mr.region.Renew(mr.length, mr.lkey)
	}
}
