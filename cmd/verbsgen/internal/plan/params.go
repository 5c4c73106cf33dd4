package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/role"
)

// rolePlanner plans what a method does with the parameters of one role.
type rolePlanner struct {
	// pass prepares the parameter, and gives the argument of the raw call.
	pass func(*call, *model.Param)
	// result is the type of what the method returns for it, and its value in a return of an error; nil where the method returns nothing.
	result func(*call, *model.Param) (typ string, zero Value)
	// output plans the return of what the verb filled, after the results before it; nil where the method returns nothing.
	output func(c *call, p *model.Param, out *outputs)
}

// byRole has the planner of each role.
var byRole = map[*role.Role]rolePlanner{
	role.Handle:      {pass: (*call).handleParam},
	role.Handles:     {pass: (*call).handlesParam},
	role.In:          {pass: (*call).valueParam},
	role.Flags:       {pass: (*call).flagsParam},
	role.Enum:        {pass: (*call).valueParam},
	role.InRecord:    {pass: (*call).recordParam},
	role.InOutRecord: {pass: (*call).inOutRecord, output: (*call).inOutOutput},
	role.OutRecord:   {pass: (*call).outRecord, result: recordResult, output: (*call).recordOutput},
	role.Out:         {pass: (*call).outNumber, result: (*call).numberResult, output: (*call).numberOutput},
	role.InOut:       {pass: (*call).changedNumber, result: (*call).numberResult, output: (*call).numberOutput},
	role.Text:        {pass: (*call).textParam},
	role.Bytes:       {pass: (*call).bytesParam},
	role.Slice:       {pass: (*call).listParam},
	role.Filled:      {pass: (*call).filledParam, output: (*call).listOutput},
	role.Addr:        {pass: (*call).valueParam},
	role.Len:         {pass: (*call).lengthParam},
	role.Data:        {pass: (*call).dataParam},
	role.Counted:     {pass: (*call).countedParam},
	role.Block:       {pass: (*call).blockParam},
	role.Pair:        {pass: (*call).pairParam, result: (*call).pairResult, output: (*call).pairOutput},
	role.Sockaddr:    {pass: (*call).addressParam},
	role.Given:       {pass: (*call).valueParam},
	role.Made:        {pass: (*call).madeParam},
	role.Mask:        {pass: (*call).maskParam},
	role.Size:        {pass: (*call).sizeParam},
	role.OutMask:     {pass: (*call).outMask},
}

// param adds one C parameter to the method: to its Go parameters, its preparation and the arguments of the raw call.
func (c *call) param(p *model.Param) {
	fixed, isFixed := c.m.Fixed[p.C]
	switch {
	case p == c.recv:
		c.pass(p, val(p.Go+".h.C"), addrOf(p.Go+".h.C"))
	case c.v.HostMemory(p):
		if p.Len != nil {
			c.memory(p)
		}
		c.pass(p, val(p.Go), wide(p.Go))
	case isFixed && p.Role != role.Flags:
		c.fixedParam(p, fixed)
	default:
		byRole[p.Role].pass(c, p)
	}
}

// pass gives a parameter's argument in the raw call, and what the rules see of it.
func (c *call) pass(p *model.Param, arg, in Value) {
	c.args = append(c.args, arg)
	c.in[p.C] = in
}

// take adds a parameter of the Go method for one of C.
func (c *call) take(p *model.Param, typ string) {
	c.out.Params = append(c.out.Params, Var{Name: p.Go, Type: typ})
	if p.Doc != "" {
		c.docs = append(c.docs, p.Go+": "+strings.TrimSuffix(p.Doc, ".")+".")
	}
}

// fixedParam passes a value that the page fixes.
func (c *call) fixedParam(p *model.Param, value uint64) {
	n := number(value)
	arg := n
	if p.Role.Passes == role.PassesObject || p.Role.Passes == role.PassesMemory {
		arg = null
	}
	c.pass(p, arg, n)
}

// handleParam enters a handle. One that may be nil gives its C pointer to a variable.
func (c *call) handleParam(p *model.Param) {
	if p.Object != nil && p.Object.From != nil {
		c.otherHandle(p)
		return
	}
	c.take(p, p.GoType)
	at := p.Go + ".h.C"
	if p.Null {
		at = p.Go + "C"
		c.pre = append(c.pre, Declare{Var{Name: at, Type: pointer}},
			c.enter(p.Go, p.C, set(at, val(p.Go+".h.C"))))
	} else {
		enter := c.enter(p.Go, p.C)
		enter.Optional = false
		c.pre = append(c.pre, enter)
	}
	if p.Object != nil {
		c.aboveGiven(p.Go, p.C, p.Object)
	}
	c.pass(p, val(at), addrOf(at))
}

// handlesParam enters a list of handles, and passes an array of their C pointers.
func (c *call) handlesParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	at := p.Go + "C"
	c.pre = append(c.pre, c.enterList(at, p.Go, p.C, p.Handles))
	c.pass(p, array(at), length("uint64", p.Go))
}

// recordParam passes attributes that the caller filled: of the runtime, of another module, or of this one.
func (c *call) recordParam(p *model.Param) {
	switch {
	case p.Record.Runtime != "":
		c.take(p, "*"+p.GoType)
		if !c.optional(p) {
			c.pre = append(c.pre, refuseNil(p.Go, p.C, "pass a "+p.GoType))
		}
		ptr := converted(pointer, val(p.Go))
		c.pass(p, ptr, of("validate", "Addr", ptr))
	case p.Record.From != nil:
		c.otherRecord(p)
	default:
		c.attrParam(p)
	}
}

// bytesParam passes a struct that the caller has as bytes.
func (c *call) bytesParam(p *model.Param) {
	c.take(p, p.GoType)
	size := number(uint64(p.Size))
	c.pre = append(c.pre, Refuse{operation(result("len", val(p.Go)), "<", size), of("verr", "TooShort", verb, text(p.C), size)})
	c.pass(p, array(p.Go), number(1))
}

// attrParam passes C's layout of attributes, with the handles' C pointers filled in: a copy of that of a builder, or written from a
// plain struct.
func (c *call) attrParam(p *model.Param) {
	mirror, r, optional := p.Go+"C", p.Record, c.optional(p)
	switch {
	case optional:
		c.take(p, "*"+p.GoType)
		c.docs = append(c.docs, p.Go+" may be nil, for NULL.")
		c.pre = append(c.pre, define(p.Go+"Given", isGiven(p.Go)), set(p.Go, of("object", "OrZero", val(p.Go))))
	case r.Plain:
		c.take(p, p.GoType)
	default:
		c.take(p, "*"+p.GoType)
		c.pre = append(c.pre, refuseNil(p.Go, r.Go, "make one with New"+r.Go))
	}
	c.pre = append(c.pre, CopyAttr{Attr: p.Go, Into: mirror, Mirror: r.Mirror.Name, Plain: r.Plain, Fails: KeepsError(r)})
	if memoryField(r) != nil {
		c.hold(HoldAttr{Attr: p.Go, Mirror: mirror})
	}
	c.pointers(p.Go, mirror, r)
	for _, f := range r.Fields {
		if f.Bytes && !f.Filled {
			bytes := p.Go + "." + Kept(r, f)
			if f.Counted != nil {
				c.pre = append(c.pre, Try{p.Go + f.Go, counted(f.C, f.Counted, bytes)})
				bytes = p.Go + f.Go
			}
			c.prep = append(c.prep, PinData{Into: mirror + "." + f.Leaf.Go, Bytes: bytes})
		}
		if f.Object == nil {
			continue
		}
		if c.apart(f.Object) {
			c.otherField(p, f, mirror)
			continue
		}
		h := p.Go + "." + Kept(r, f)
		c.pre = append(c.pre, c.enter(h, f.C, putHandle(mirror, h+".h.C", r, f)...))
		c.aboveGiven(h, f.C, f.Object)
	}
	if t := r.Tail; t != nil {
		list, packed := p.Go+"."+naming.Unexported(t.Go), p.Go+"B"
		c.useMany()
		c.pre = append(c.pre, EnterArms{List: list, Of: t.Of, Beside: c.self},
			PackArms{List: list, Of: t.Of, Head: mirror, Into: packed, Count: t.Count, Size: t.Size})
		c.prep = append(c.prep, CopyHead{Head: mirror, Into: packed})
		c.passRecord(p, array(packed))
		return
	}
	c.passRecord(p, memory(mirror))
}

// optional reports whether a method takes nil for a record: one that may be NULL, unless another method of the verb is for NULL.
func (c *call) optional(p *model.Param) bool {
	return p.Null && !slices.ContainsFunc(c.v.Methods, func(m *model.Method) bool { _, fixed := m.Fixed[p.C]; return fixed })
}

// passRecord passes the memory of a record, or NULL where that is optional and not given.
func (c *call) passRecord(p *model.Param, ptr Value) {
	if !c.optional(p) {
		c.pass(p, ptr, number(1))
		return
	}
	at := p.Go + "At"
	c.pre = append(c.pre, define(at, of("cmem", "Optional", val(p.Go+"Given"), ptr)))
	c.pass(p, val(at), addrOf(at))
}

// enter begins the use of a handle that may be nil, in the place with the C name what. One of another device than the receiver is refused:
// the kernel would look for it among the objects of that one.
func (c *call) enter(handle, what string, then ...Step) Enter {
	e := Enter{Handle: handle, Optional: true, Then: then}
	if c.recv != nil {
		e.Beside, e.What = c.self, what
	}
	return e
}

// useMany declares what has the handles of lists, and puts the new object under them. A method of Lib has them beside other handles.
func (c *call) useMany() {
	switch {
	case c.many != "":
	case c.recv == nil:
		c.many = c.uses(nil) + ".Many"
	default:
		c.many = "uses"
		c.pre = append(c.pre, Until{Var{Name: c.many, Type: "object.Uses"}, "Exit"})
	}
}

// enterList begins the use of all handles of a list.
func (c *call) enterList(into, list, what string, o *model.Object) EnterList {
	c.useMany()
	if c.recv == nil {
		return EnterList{List: list, Uses: c.uses(nil), What: what, Into: into}
	}
	return EnterList{List: list, Of: o.Type(), Uses: c.many, Beside: c.self, What: what, Into: into}
}

// putHandle puts a C object into the mirror of a record.
func putHandle(mirror, c string, r *model.Record, f *model.Field) []Step {
	steps := []Step{set(mirror+"."+f.Leaf.Go, converted("uintptr", val(c)))}
	if f.Bit != nil && r.Mask != "" {
		steps = append(steps, maskBits(mirror+"."+r.Mask, f))
	}
	return steps
}

// maskBits sets the bits of a mask that say that a field is given.
func maskBits(mask string, f *model.Field) Assign {
	return Assign{To: []string{mask}, Op: "|=", Values: []Value{hex(uint64(f.BitValue))}, Remark: f.Bit.C}
}

// outParam passes the address of a variable for the verb to fill.
func (c *call) outParam(p *model.Param, name, typ string) {
	c.prep = append(c.prep, Declare{Var{Name: name, Type: typ}})
	c.pass(p, memory(name), number(1))
}

// outNumber passes the address of a number for the verb to set.
func (c *call) outNumber(p *model.Param) { c.outParam(p, p.Go, c.outType(p)) }

// changedNumber passes the address of the number that the caller gave, for the verb to change.
func (c *call) changedNumber(p *model.Param) {
	c.take(p, c.outType(p))
	c.pass(p, memory(p.Go), number(1))
}

// madeParam passes the address of a pointer for the verb to store the new object in.
func (c *call) madeParam(p *model.Param) { c.outParam(p, p.Go+"C", pointer) }

// outRecord passes the address of a mirror for the verb to fill. Where the mask has bits for the fields, it asks for them, and the
// rules see it.
func (c *call) outRecord(p *model.Param) {
	if p.Record.From != nil {
		c.pre = append(c.pre, define(p.Go, result("new", converted(p.GoType))))
		c.fillOther(p)
		return
	}
	mirror := p.Go + "C"
	var asked []Step
	bits := map[int64]bool{}
	for _, f := range p.Record.Fields {
		if f.Bit != nil && p.Record.Mask != "" && !p.Record.In && !bits[f.BitValue] {
			bits[f.BitValue] = true
			asked = append(asked, maskBits(mirror+"."+p.Record.Mask, f))
		}
	}
	if len(asked) == 0 {
		c.outParam(p, mirror, p.Record.Mirror.Name)
		return
	}
	c.pre = append(append(c.pre, Declare{Var{Name: mirror, Type: p.Record.Mirror.Name}}), asked...)
	c.pass(p, memory(mirror), number(1))
}

// filledParam passes a list of the caller for the verb to fill: its numbers as they are, records by an array of their mirrors.
func (c *call) filledParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	at := p.Go
	if p.Record != nil {
		at += "C"
		c.prep = append(c.prep, define(at, result("make", converted("[]"+p.Record.Mirror.Name), result("len", val(p.Go)))))
	}
	c.pass(p, array(at), length("uint64", p.Go))
}

// maskParam passes the mask that the builder of another parameter kept.
func (c *call) maskParam(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Taken() == p.Record {
			c.pass(p, converted(c.rawType(p), val(q.Go+".mask")), wide(q.Go+".mask"))
			return
		}
	}
	c.b.errorf(c.v.C+"."+p.C, "no parameter has the fields of the mask")
}

// sizeParam passes the size of a record.
func (c *call) sizeParam(p *model.Param) {
	size := number(uint64(p.Record.Mirror.Size))
	c.pass(p, size, size)
}

// outMask passes the memory of the mask of a record of another package.
func (c *call) outMask(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Role == role.InOutRecord && q.Record == p.Record {
			c.pass(p, val(held(q)+".Mask"), number(1))
		}
	}
}
