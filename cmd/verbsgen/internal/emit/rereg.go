package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// rereg writes the methods that change a memory region in place. The flags follow from what is given, so that they
// and the other arguments cannot disagree.
func (e *emitter) rereg(g *goFile, v *model.Verb, m *model.Method) {
	access := "uint32"
	for _, p := range v.Params {
		if p.C == "access" && p.Enum != nil {
			access = p.Enum.Go
		}
	}
	g.add("%s", fmt.Sprintf(`// MRChange is a set of changes to a memory region, made by one call of MR.%[1]s.
//
// C: the arguments of ibv_rereg_mr, %[2]s.
type MRChange struct {
	pd     *PD
	memory func(who string) (addr uintptr, length uint64, release func(), err error) // takes hold of the new memory
	access %[3]s
	flags  int32
}

// PD moves the region to another protection domain of the same device. C: IBV_REREG_MR_CHANGE_PD.
func (c *MRChange) PD(pd *PD) *MRChange {
	c.pd, c.flags = pd, c.flags|0x%[5]x
	return c
}

// Memory makes the region cover buf, which is pinned until the region covers other memory or is closed.
// C: IBV_REREG_MR_CHANGE_TRANSLATION.
func (c *MRChange) Memory(buf []byte) *MRChange {
	c.flags |= 0x%[4]x
	c.memory = func(string) (uintptr, uint64, func(), error) {
		pin, err := mem.PinBytes(buf)
		if err != nil {
			return 0, 0, nil, err
		}
		return pin.Addr(), pin.Len(), pin.Unpin, nil
	}
	return c
}

// Buffer makes the region cover buf, which cannot be closed until the region covers other memory or is closed.
// C: IBV_REREG_MR_CHANGE_TRANSLATION.
func (c *MRChange) Buffer(buf *mem.Buffer) *MRChange {
	c.flags |= 0x%[4]x
	c.memory = func(who string) (uintptr, uint64, func(), error) {
		if buf == nil {
			return 0, 0, nil, errors.New("buffer is nil; make one with mem.New")
		}
		if err := buf.Retain(who); err != nil {
			return 0, 0, nil, err
		}
		return buf.Addr(), buf.Len(), func() { buf.Release(who) }, nil
	}
	return c
}

// Addr makes the region cover memory that the caller keeps mapped. C: IBV_REREG_MR_CHANGE_TRANSLATION.
func (c *MRChange) Addr(addr uintptr, length uint64) *MRChange {
	c.flags |= 0x%[4]x
	c.memory = func(string) (uintptr, uint64, func(), error) { return addr, length, func() {}, nil }
	return c
}

// Access gives the region other access. C: IBV_REREG_MR_CHANGE_ACCESS.
func (c *MRChange) Access(access %[3]s) *MRChange {
	c.access, c.flags = access, c.flags|0x%[6]x
	return c
}

// take gets hold of the new memory, if there is one; release lets go of it again.
func (c *MRChange) take(verb, who string) (addr uintptr, length uint64, release func(), err error) {
	if c.memory == nil {
		return 0, 0, func() {}, nil
	}
	if addr, length, release, err = c.memory(who); err != nil {
		return 0, 0, nil, verr.Memory(verb, err)
	}
	return addr, length, release, nil
}`, m.Name, page(v.Page), access, e.constant("IBV_REREG_MR_CHANGE_TRANSLATION"), e.constant("IBV_REREG_MR_CHANGE_PD"), e.constant("IBV_REREG_MR_CHANGE_ACCESS")))
	c := &call{e: e, v: v, m: m, in: map[string]string{
		"mr": "validate.Addr(mr.c)", "flags": "int64(change.flags)", "pd": "validate.Addr(pdC)", "addr": "uint64(addr)", "length": "length", "access": "uint64(change.access)"}}
	c.recv = v.Param("mr")
	if v.Param("flags").Enum != nil {
		c.in["flags"] = "uint64(change.flags)"
	}
	method := fmt.Sprintf(`%s
func (mr *MR) %s(change *MRChange) error {
	const verb = %q
	if change == nil {
		return verr.NilValue(verb, "MRChange", "make one with new(MRChange)")
	}
	if err := mr.enter(verb); err != nil {
		return err
	}
	defer mr.node.Exit()
	%svar pdC unsafe.Pointer
	if change.pd != nil {
		if err := change.pd.enter(verb); err != nil {
			return err
		}
		defer change.pd.node.Exit()
		if change.pd.dev != mr.dev {
			return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the protection domain belongs to another Device; pass one of the region's own"}
		}
		pdC = change.pd.c
	}
	addr, length, release, err := change.take(verb, mr.node.String())
	if err != nil {
		return err
	}
	%s
	mr.mu.Lock()
	defer mr.mu.Unlock()
	code, errno := rawReregMR(%smr.c, change.flags, pdC, addr, length, int32(change.access))
	return mr.changed(verb, change, code, errno, release)
}`, doc(m.Name, v.Doc, v.C, v.Page, m.Doc, c.ruleList()), m.Name, v.C, e.missingCheck(v, "mr.lib", "return "), strings.ReplaceAll(strings.Join(c.rules(), "\n"), "return err", "release()\nreturn err"), e.fnArgs(v, "mr.lib"))
	g.add("%s", method)
	g.add("%s", `// holdBoth keeps the new memory beside the old one until Close.
func (mr *MR) holdBoth(release func()) {
	old := mr.release
	mr.release = func() {
		if old != nil {
			old()
		}
		release()
	}
}

// changed settles, under mr.mu, who holds which memory after the call: the code tells which of the old and the new region is valid.
func (mr *MR) changed(verb string, change *MRChange, code int, errno syscall.Errno, release func()) error {
	text := ""
	newMemory := change.flags&0x1 != 0
	switch code {
	case 0, -3: // done; -3: done, but the old range stays marked as not copied on fork
		if change.pd != nil && change.pd != mr.pd {
			if err := mr.node.ReplaceParent(nodeOfPD(mr.pd), &change.pd.node); err != nil {
				mr.holdBoth(release)
				return err
			}
			mr.pd = change.pd
		}
		mr.load()
		mr.node.SetLabel(mr.label())
		if newMemory {
			if mr.release != nil {
				mr.release()
			}
			mr.release = release
		}
		if code == 0 {
			return nil
		}
		return &verr.Error{Verb: verb, Errno: errno, Msg: "IBV_REREG_MR_ERR_DO_FORK_OLD: the region is changed, but its old memory stays marked as not copied on fork"}
	case -1:
		text = "IBV_REREG_MR_ERR_INPUT: the library refused the arguments; the region is as it was"
	case -2:
		text = "IBV_REREG_MR_ERR_DONT_FORK_NEW: the new memory cannot be marked as not copied on fork; the region is as it was"
	default:
		if errno == syscall.EOPNOTSUPP { // the provider, or the driver behind it, has no such change
			text = "the device cannot change a region in this way; the region is as it was"
			break
		}
		// the device may hold either memory: keep both until Close
		text = "IBV_REREG_MR_ERR_CMD: the kernel refused the change; the region must not be used, only closed"
		if code == -5 {
			text = "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: the kernel refused the change, and the new memory stays marked as not copied on fork; the region must not be used, only closed"
		}
		mr.holdBoth(release)
		return &verr.Error{Verb: verb, Errno: errno, Msg: text}
	}
	release()
	return &verr.Error{Verb: verb, Errno: errno, Msg: text}
}`)
}

// constant is the value of a C constant of the release, 0 when it has none.
func (e *emitter) constant(name string) uint64 {
	if c := constants(e.pkg.Facts)[name]; c != nil {
		return c.Uint64()
	}
	return 0
}
