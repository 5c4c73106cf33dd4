package bridge

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Change describes what to change in a region: the new memory, and the flags that say which arguments are given. The
// flags follow from the methods that are called, so they always agree with the arguments.
type Change struct {
	Flags  int32
	memory mem.Source
	given  bool // new memory
}

// Memory sets the new memory and its flag.
func (c *Change) Memory(flag int32, s mem.Source) {
	c.Flags |= flag
	c.memory, c.given = s, true
}

// Moves reports whether the region is to cover other memory.
func (c *Change) Moves() bool { return c.given }

// Take pins or retains the new memory on behalf of who, the region. Without new memory it holds nothing.
func (c *Change) Take(verb, who string) (cmem.Held, error) {
	if !c.given {
		return cmem.Held{Release: func() {}}, nil
	}
	held, err := cmem.Take(c.memory, who)
	if err != nil {
		return cmem.Held{}, fail.Memory(verb, err)
	}
	return held, nil
}

// Region is the region to change, and what was held for the change.
type Region struct {
	Move    object.Moving   // to another protection domain
	Release *func()         // releases the memory that the region covers; may point to nil
	New     cmem.Held       // the result of Take
	Changed func()          // called when the region has changed; reads its new fields
	Why     func() []string // explains why the kernel refused the change; may be nil
}

// Answers of ibv_rereg_mr, enum ibv_rereg_mr_err_code.
const (
	errInput           = -1
	errDontForkNew     = -2
	errDoForkOld       = -3
	errCmdAndDoForkNew = -5
)

// Settle is called after the verb. Its result code says whether the old region, the new one or neither is valid; Settle
// ends the move, releases the memory that is no longer used and returns the error of the verb. Meanwhile the caller must prevent reads
// of the region's fields.
func (c *Change) Settle(verb string, code int, errno syscall.Errno, r Region) error {
	switch {
	case code == 0 || code == errDoForkOld:
		if c.changed(r); code == 0 {
			return nil
		}
		return failed(verb, errno, "IBV_REREG_MR_ERR_DO_FORK_OLD: the region is changed, but its old memory stays marked as not copied on fork")
	case code == errInput:
		r.unchanged()
		return failed(verb, errno, "IBV_REREG_MR_ERR_INPUT: the library refused the arguments; the region is as it was")
	case code == errDontForkNew:
		r.unchanged()
		return failed(verb, errno,
			"IBV_REREG_MR_ERR_DONT_FORK_NEW: the new memory cannot be marked as not copied on fork; the region is as it was")
	case errno == syscall.EOPNOTSUPP: // the provider, or the driver behind it, has no such change
		r.unchanged()
		return failed(verb, errno, "the device cannot change a region in this way; the region is as it was")
	}
	var hints []string
	if r.Why != nil {
		hints = r.Why()
	}
	r.holdBoth() // the device may use either memory, and either protection domain
	msg := "IBV_REREG_MR_ERR_CMD: the kernel refused the change; the region must not be used, only closed"
	if code == errCmdAndDoForkNew {
		msg = "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW: the kernel refused the change, and the new memory stays marked as not copied on fork; " +
			"the region must not be used, only closed"
	}
	return &verr.Error{Verb: verb, Errno: errno, Msg: msg, Hints: hints}
}

// changed ends the move of the region to its new protection domain and memory.
func (c *Change) changed(r Region) {
	r.Move.Arrived()
	r.Changed()
	if c.given {
		if old := *r.Release; old != nil {
			old()
		}
		*r.Release = r.New.Release
	}
}

// unchanged leaves the region where it was.
func (r Region) unchanged() {
	r.Move.Back()
	r.New.Release()
}

// holdBoth keeps the new memory and protection domain beside the old until the region is closed.
func (r Region) holdBoth() {
	r.Move.Unknown()
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
