package dpath

// Why unsafe: C reads the commands of a request by addresses that are kept as numbers. What keeps it sound: words and what they point to
// are objects of Go's heap, which do not move, and the batch keeps them for as long as it lives. View begins as C has it (more.h). A way to
// hand a list of lists to C would replace it.

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

const opDriver WROpcode = 11 // IBV_WR_DRIVER1, of a request that only the functions of a view build

// View is an object of another library beside a queue pair, whose functions build requests or add to them. It is for generated packages,
// which fill in the fields.
type View struct {
	run    uintptr // calls a function of the view
	object uintptr
	failed uint64 // number of the function that the view lacks

	Of     *gate.Gate     // of the queue pair
	Handle *object.Handle // likewise
	Type   string         // of its requests, for errors
}

// Memory returns where C stores the address of the view, and of the function that calls those of the view.
func (v *View) Memory() unsafe.Pointer { return unsafe.Pointer(v) }

// Found reports whether there is a view.
func (v *View) Found() bool { return v != nil && v.object != 0 }

// commands are what a view adds to the requests of a batch.
type commands struct {
	view *View
	at   []uintptr // of each request: the address of its words, or 0. C reads it
	list []added
}

// added are the commands of one request: for each the number of its words with this one, the number of the function, and the arguments. A 0
// follows the last.
type added struct {
	words  []uint64
	keeps  []unsafe.Pointer // that words are the addresses of
	uses   []*object.Handle
	names  []string // of the functions, in order
	builds bool     // the first builds the request
}

// More refers to the commands of one request. View.More returns it. Of a zero value only Made may be called.
type More struct {
	of *commands
	w  *SendRequest
	i  int
}

// More returns request i of a batch, without what was added to it before. It panics as SendBatch.WR does. A batch has the requests of one
// view.
func (v *View) More(verb string, b *SendBatch, i int) (SendWR, More, error) {
	if !v.Found() {
		return SendWR{}, More{}, fail.NilValue(verb, "the view", "find one first")
	}
	w := b.WR(i)
	c := b.all.more
	if c == nil {
		c = &commands{view: v, at: make([]uintptr, len(b.all.wrs)), list: make([]added, len(b.all.wrs))}
		b.all.more = c
	}
	if c.view.Of != v.Of || c.view.object != v.object {
		return SendWR{}, More{}, refusedMore(verb, "the SendBatch has a "+c.view.Type+" of another queue pair; make a batch for each")
	}
	c.clear(i)
	return w, More{c, w.r, i}, nil
}

func (c *commands) clear(i int) {
	c.at[i] = 0
	x := &c.list[i]
	*x = added{words: x.words[:0], keeps: x.keeps[:0], uses: x.uses[:0], names: x.names[:0]}
}

// Made returns an error for a zero value.
func (m More) Made(verb, typ, fix string) error {
	if m.of == nil {
		return fail.NilValue(verb, typ, fix)
	}
	return nil
}

// Build begins a request that the next command builds, without what was added to it before.
func (m More) Build(id uint64) {
	m.of.clear(m.i)
	m.of.list[m.i].builds = true
	SendWR{m.w}.r.begin(id, opDriver)
}

// Add adds a call of a function of the view, with its arguments as C takes them. Handles must be of the device of the queue pair.
func (m More) Add(verb string, function uint64, args ...Arg) error {
	qp := m.of.view.Handle
	for _, a := range args {
		if h := a.handle; h != nil && h.Root != nil && qp.Root != nil && h.Root != qp.Root {
			return object.OtherDevice(verb, a.what, &h.Node, &h.Root.Node, &qp.Node, &qp.Root.Node)
		}
	}
	x := &m.of.list[m.i]
	words := append(x.words[:max(0, len(x.words)-1)], uint64(len(args))+2, function)
	for _, a := range args {
		if a.handle != nil {
			x.uses = append(x.uses, a.handle)
			a.at = a.handle.C
		}
		if a.at != nil {
			x.keeps = append(x.keeps, a.at)
			a.word = uint64(uintptr(a.at))
		}
		words = append(words, a.word)
	}
	x.words, x.names = append(words, 0), append(x.names, verb)
	m.of.at[m.i] = uintptr(unsafe.Pointer(unsafe.SliceData(x.words)))
	return nil
}

// Arg is an argument of a command: a number, an address, or a handle, which each post uses.
type Arg struct {
	word   uint64
	at     unsafe.Pointer
	handle *object.Handle
	what   string // C name of its place
}

// Number returns a number.
func Number[T ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int32 | ~int64](x T) Arg {
	return Arg{word: uint64(x)}
}

// Memory returns the address of memory that stays as it is.
func Memory(at unsafe.Pointer) Arg { return Arg{at: at} }

// Used returns a handle, in the place with the C name what.
func Used(what string, h *object.Handle) Arg { return Arg{handle: h, what: what} }

// ListOf returns the address of a copy of a list; of an empty one NULL.
func ListOf[T any](list []T) Arg {
	return Arg{at: unsafe.Pointer(unsafe.SliceData(slices.Clone(list)))}
}

// begin begins the use of what is added to the requests of a range that is posted to a queue pair.
func (r Range[W]) beginMore(a *Stream, to *gate.Gate) {
	c := r.batch.more
	if c.view.Of != to {
		a.err = refusedMore(streamVerb, "the SendBatch has a "+c.view.Type+" of another queue pair")
		return
	}
	for i := r.first; i < r.first+r.n; i++ {
		if a.err = c.wrong(i, any(&r.batch.wrs[i]).(*SendRequest)); a.err != nil {
			return
		}
		for _, h := range c.list[i].uses {
			if err := h.Enter(streamVerb); err != nil {
				a.err = ofRequestMore(i, err)
				return
			}
			a.uses = append(a.uses, h)
		}
	}
	a.more, a.at = uintptr(unsafe.Pointer(c.view)), uintptr(unsafe.Pointer(&c.at[r.first]))
}

// ofRequestMore returns the error of a handle that a request names.
func ofRequestMore(i int, err error) error {
	var e *verr.Error
	if !errors.As(err, &e) {
		return err
	}
	of := *e
	of.Msg = fmt.Sprintf("request %d: %s; nothing was posted", i, e.Msg)
	return &of
}

// wrong returns an error if what was added to a request is not for it.
func (c *commands) wrong(i int, w *SendRequest) error {
	switch x := &c.list[i]; {
	case x.builds && w.Opcode != opDriver:
		return refusedMore(streamVerb, fmt.Sprintf("request %d is a %v, and %s builds it: take it by WR of the batch, and of its view for "+
			"one of the two", i, w.Opcode, x.names[0]))
	case !x.builds && w.Opcode == opDriver:
		return refusedMore(streamVerb, fmt.Sprintf("request %d is one that a function of a view builds, and none was called", i))
	}
	return nil
}

// endMore ends the use.
func (a *Stream) endMore() {
	for _, h := range a.uses {
		h.Exit()
	}
	a.uses = nil
}

// lacksMore returns the error of a request to which a function was to add that the view lacks.
func (r Range[W]) lacksMore(a *Stream) error {
	c := r.batch.more
	if a.bad < 0 || syscall.Errno(a.code) != syscall.EOPNOTSUPP {
		return nil
	}
	i := int(a.bad)
	x := &c.list[i]
	name := "a function"
	for at, k := 0, 0; k < len(x.names); k++ {
		if x.words[at+1] == c.view.failed {
			name = x.names[k]
		}
		at += int(x.words[at])
	}
	return &verr.Error{Verb: streamVerb, Errno: syscall.EOPNOTSUPP, Refused: true, Msg: fmt.Sprintf("request %d: this queue pair has no %s: "+
		"it was not asked for it when it was made, or is of another type; nothing was posted", i, name)}
}

const streamVerb = "ibv_wr_start"

func refusedMore(verb, problem string) error {
	return fail.Invalid(verb, problem+"; nothing was posted")
}
