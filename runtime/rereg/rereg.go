package rereg

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Change is what a change gives of the region: its new memory, and the flags that say what is given. The flags follow from
// the methods called, so that they and the other arguments cannot disagree.
type Change struct {
	Flags  int32
	memory mem.Source
	given  bool // new memory
}

// Memory gives new memory; flag says so.
func (c *Change) Memory(flag int32, s mem.Source) {
	c.Flags |= flag
	c.memory, c.given = s, true
}

// Take pins or retains the new memory in the name of who, the region. Without new memory nothing is held.
func (c *Change) Take(verb, who string) (mem.Held, error) {
	held, err := c.memory.Take(who)
	if err != nil {
		return mem.Held{}, verr.Memory(verb, err)
	}
	return held, nil
}

// OtherDevice is the error of a change to a protection domain of another device.
func OtherDevice(verb string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the protection domain belongs to another Device; pass one of the region's own"}
}

// Region is the region that was to be changed, and what was held for that.
type Region struct {
	Node     *object.Node
	From, To *object.Node // the protection domain before and after; the same, or a nil To, for no change
	Release  *func()      // lets go of the memory that the region covers; may be nil inside
	New      mem.Held     // what Take gave
	Changed  func()       // runs when the region is changed, and reads its new fields
}

// Answers of ibv_rereg_mr, enum ibv_rereg_mr_err_code.
const (
	errInput           = -1
	errDontForkNew     = -2
	errDoForkOld       = -3
	errCmdAndDoForkNew = -5
)

// Settle decides after the call who holds which memory, by the answer of the verb: it says which of the old and the new
// region is valid. The caller keeps the region's fields from being read meanwhile.
func (c *Change) Settle(verb string, code int, errno syscall.Errno, r Region) error {
	switch {
	case code == 0 || code == errDoForkOld:
		if err := c.changed(r); err != nil || code == 0 {
			return err
		}
		return failed(verb, errno, "IBV_REREG_MR_ERR_DO_FORK_OLD: the region is changed, but its old memory stays marked as not copied on fork")
	case code == errInput:
		r.New.Release()
		return failed(verb, errno, "IBV_REREG_MR_ERR_INPUT: the library refused the arguments; the region is as it was")
	case code == errDontForkNew:
		r.New.Release()
		return failed(verb, errno, "IBV_REREG_MR_ERR_DONT_FORK_NEW: the new memory cannot be marked as not copied on fork; the region is as it was")
	case errno == syscall.EOPNOTSUPP: // the provider, or the driver behind it, has no such change
		r.New.Release()
		return failed(verb, errno, "the device cannot change a region in this way; the region is as it was")
	}
	r.holdBoth() // the device may use either memory
	if code == errCmdAndDoForkNew {
		return failed(verb, errno, "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: the kernel refused the change, and the new memory stays marked as not copied on fork; the region must not be used, only closed")
	}
	return failed(verb, errno, "IBV_REREG_MR_ERR_CMD: the kernel refused the change; the region must not be used, only closed")
}

// changed moves the region to its new protection domain and memory.
func (c *Change) changed(r Region) error {
	if r.To != nil && r.To != r.From {
		if err := r.Node.ReplaceParent(r.From, r.To); err != nil {
			r.holdBoth()
			return err
		}
	}
	r.Changed()
	if c.given {
		if old := *r.Release; old != nil {
			old()
		}
		*r.Release = r.New.Release
	}
	return nil
}

// holdBoth keeps the new memory beside the old until the region is closed.
func (r Region) holdBoth() {
	old := *r.Release
	*r.Release = func() {
		if old != nil {
			old()
		}
		r.New.Release()
	}
}

func failed(verb string, errno syscall.Errno, msg string) error {
	return &verr.Error{Verb: verb, Errno: errno, Msg: msg}
}
