package gogen

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// call is a method in the making: one that takes its verb's parameters in order.
type call struct {
	e         *emitter
	v         *model.Verb
	m         *model.Method
	recv      *model.Param // nil for methods of Lib
	self      string
	lib, root string // paths of the library and of the root object
	out       fn
	zero      fail                // what is returned beside an error
	docs      []string            // of the parameters
	pre       []jen.Code          // before the rules: uses begun, memory held
	prep      []jen.Code          // before the call
	post      []jen.Code          // after success
	args      []jen.Code          // of the raw call
	in        map[string]jen.Code // what the rules see of a parameter
	keep      bool                // memory is held
	many      string              // variable with the handles of lists, under which the new object lives; empty where there are none
	others    map[string]bool     // variables with the handles of other packages
}

// ownLib is the receiver of the methods of Lib.
const ownLib = "l"

// newCall begins a method that returns a value of each type, or the zero values and an error: its receiver is entered, and a missing
// function refused.
func (e *emitter) newCall(v *model.Verb, m *model.Method, results []string, zero fail) *call {
	c := &call{e: e, v: v, m: m, self: ownLib, lib: ownLib, zero: zero, in: map[string]jen.Code{}, others: map[string]bool{},
		out: fn{name: m.Name, recv: recv(ownLib, "Lib"), results: types(append(results, "error")...)}}
	for _, p := range v.Params {
		if p.Object != nil && p.Object.Go == m.Recv {
			c.recv, c.self, c.lib, c.root = p, p.Go, p.Go+".lib", p.Go
			switch e.root() {
			case p.Object.Go:
			case "":
				c.root = ""
			default:
				c.root += ".dev"
			}
			c.out.recv = recv(p.Go, p.Object.Go)
			c.pre = []jen.Code{zero.enter(p.Go)}
			break
		}
	}
	c.pre = append(c.pre, zero.missingVerb(v, c.lib))
	if v.EndedBy != nil {
		c.pre = append(c.pre, zero.missingVerb(v.EndedBy, c.lib))
	}
	if v.Creates != nil && v.Creates.From != nil {
		c.uses(v.Creates.From)
	}
	return c
}

// plain writes a method of a form that takes the parameters in order: handles entered and memory held, the rules, the call, and what
// becomes of its result:
//
//	func (dev *Device) AllocDM(attr *AllocDMAttr) (*DM, error)
func (e *emitter) plain(g *goFile, v *model.Verb, m *model.Method) {
	c := e.inOrder(v, m)
	c.out.doc = c.doc(v.Doc, ruleList(v))
	c.write(g)
}

// inOrder makes the parts of such a method, but for its comment.
func (e *emitter) inOrder(v *model.Verb, m *model.Method) *call {
	results, zero := e.results(v, m)
	c := e.newCall(v, m, results, zero)
	for _, p := range v.Params {
		c.param(p)
	}
	c.findRoot()
	c.out.body = slices.Concat([]jen.Code{verbConst(v.C)}, c.pre, c.check(), c.before(), c.prep, c.begin(), c.invoke(), c.marked(),
		c.success())
	return c
}

// before calls what refuses a call that its rules allow, where a file that is written by hand has it:
//
//	if err := dev.beforeOpenQP(verb); err != nil {
//		return nil, err
//	}
func (c *call) before() []jen.Code {
	name := "before" + c.v.Go
	if c.recv == nil || !c.e.has(c.recv.Object.Go, name) {
		return nil
	}
	return []jen.Code{c.zero.onErr(id(c.self, name).Call(id("verb")))}
}

// write writes the method. A Lib that is nil counts as a zero value.
func (c *call) write(g *goFile) {
	usesLib := len(c.v.Symbols()) > 0 || len(c.others) > 0 || c.v.Node != "" || len(c.v.Checked(true)) > 0
	if c.recv == nil && (usesLib || c.pins()) {
		c.out.body = append([]jen.Code{orZero(c.self)}, c.out.body...)
	}
	g.fn(c.out)
}

// results are the types of what a method returns beside an error, and their values in a return of one.
func (e *emitter) results(v *model.Verb, m *model.Method) (types []string, zero fail) {
	add := func(typ string, value jen.Code) { types, zero = append(types, typ), append(zero, value) }
	if v.Creates != nil {
		add("*"+cmp.Or(v.Creates.Ref, v.Creates.Go), jen.Nil())
	}
	switch {
	case v.Creates.Int():
	case v.Returns == spec.RetNumber: // 0 is a file descriptor, and an index of a table
		add("int", jen.Lit(-1))
	case counts(v):
		add("int", jen.Lit(0))
	case v.Result == "string":
		add(v.Result, jen.Lit(""))
	case v.Result == "bool":
		add(v.Result, jen.False())
	case v.Result != "":
		add(v.Result, jen.Lit(0))
	}
	for _, p := range v.Params {
		if result := byRole[p.Role].result; result != nil && m.Fixed[p.C] == nil {
			add(result(e, v, m, p))
		}
	}
	return types, zero
}

// invoke makes the raw call, and returns its error.
func (c *call) invoke() []jen.Code {
	explained := c.failure()
	if len(c.v.Checked(true)) > 0 {
		explained.lints = c.v.Go
	}
	into := ""
	switch {
	case answerOf(c.v) == byPointer:
		into = "ptr"
	case counts(c.v):
		into = "n"
	case c.v.Result != "":
		into = "x"
	}
	made := raw(c.v, c.lib, c.args...)
	if to := moved(c.v); to != nil {
		return c.move(to, fail(nil).call(into, made, answerOf(c.v), explained))
	}
	if i := slices.IndexFunc(c.v.Params, func(p *model.Param) bool { return p.Parent }); i >= 0 && c.v.Creates == nil {
		body := append(fail(nil).call(into, made, answerOf(c.v), explained), jen.Return(jen.Nil()))
		return []jen.Code{c.zero.onErr(id(c.self, "h", "Below").Call(id("verb"), ref(id(c.v.Params[i].Go, "h.Node")),
			function(types("error"), body...)))}
	}
	if c.m.Form == form.Attach || c.m.Form == form.Detach {
		return c.attach(fail(nil).call(into, made, answerOf(c.v), explained))
	}
	if c.v.Updates {
		locked := append(fail(nil).call(into, made, answerOf(c.v), explained), id(c.self, "load").Call(), jen.Return(jen.Nil()))
		return []jen.Code{c.zero.onErr(rt("object", "Locked").Call(ref(id(c.self, "mu")), function(types("error"), locked...)))}
	}
	if !c.callbacks() {
		return c.zero.call(into, made, answerOf(c.v), explained)
	}
	explained.by = c.self + ".calls"
	return append([]jen.Code{id(explained.by, "Begin").Call()}, c.zero.call(into, made, answerOf(c.v), explained)...)
}

// failure is what may explain that the call failed.
func (c *call) failure() failure {
	f := failure{causes: c.v.Causes, node: c.v.Node, memory: c.pinned(), on: c.e.removable(c.root), dmaBuf: c.m.Form == form.DMABuf}
	f.others = slices.Sorted(maps.Keys(c.others))
	if c.recv != nil && elsewhere(c.recv.Object) {
		f.others = append(f.others, c.self+".h")
	}
	if f.node != "" || f.memory != nil || f.dmaBuf {
		f.lib = c.lib
	}
	if f.memory != nil {
		f.device = c.root
	}
	f.looks = c.looks()
	return f
}

// looks calls the method that looks for the causes of a failure, where a file that is written by hand has one: it takes the errno, and the
// arguments that are numbers or attributes.
//
//	pd.explainCreateAH(errno, &attrC)
func (c *call) looks() jen.Code {
	name := "explain" + c.v.Go
	if c.recv == nil || !c.e.has(c.recv.Object.Go, name) {
		return nil
	}
	args := []jen.Code{id("errno")}
	for _, p := range c.v.Params {
		switch _, fixed := c.m.Fixed[p.C]; {
		case fixed || p == c.recv:
		case p.Role == role.InRecord && p.Record.From != nil:
			args = append(args, id(p.Go+"Held").Dot("C"))
		case p.Role == role.InRecord:
			args = append(args, ref(id(p.Go+"C")))
		case p.Role == role.In, p.Role == role.Flags, p.Role == role.Enum, p.Role == role.Addr:
			args = append(args, id(p.Go))
		}
	}
	return id(c.self, name).Call(args...)
}

// pinned is the address, length and access flags of the memory that the device takes, nil where it takes none.
func (c *call) pinned() []jen.Code {
	var at, length jen.Code
	var access jen.Code = jen.Lit(0)
	for _, p := range c.v.Params {
		switch {
		case p.Role.Passes == role.PassesHost && p.Len != nil:
			at, length = c.in[p.C], c.in[p.Len.C]
		case p.Role == role.Flags:
			access = c.in[p.C]
		case p.Record != nil && c.v.Creates != nil && memoryField(p.Record) != nil:
			at, length = c.leaf(p, memoryField(p.Record).Leaf), c.leaf(p, memoryField(p.Record).Len)
			isFlags := func(f *model.Field) bool { return f.Enum != nil && f.Enum.Flags }
			if i := slices.IndexFunc(p.Record.Fields, isFlags); i >= 0 {
				access = c.leaf(p, p.Record.Fields[i].Leaf)
			}
		}
	}
	if !c.pins() {
		return nil
	}
	return []jen.Code{at, length, access}
}

// leaf is a field of a record that is passed, as a number.
func (c *call) leaf(p *model.Param, l *model.Leaf) jen.Code { return wide(p.Go + "C." + l.Go) }

// counts reports whether the number that a verb returns is a result.
func counts(v *model.Verb) bool { return v.Returns == spec.RetNumber || v.Returns == spec.RetNegated }

// callbacks reports whether the call may run the allocator of a parent domain.
func (c *call) callbacks() bool {
	return c.v.Callbacks && c.recv != nil && slices.ContainsFunc(c.e.writtenFields(c.recv.Object),
		func(x form.Field) bool { return x.Name == "calls" })
}

// pins reports whether the verb pins host memory: then ENOMEM may be the limit on locked memory.
func (c *call) pins() bool {
	return slices.ContainsFunc(c.v.Params, func(p *model.Param) bool {
		return p.Role.Passes == role.PassesHost || p.Record != nil && c.v.Creates != nil && memoryField(p.Record) != nil
	})
}

// success is what follows a call that succeeded. Its hints come when the handles know a new object: the function of OnLint may not return.
func (c *call) success() []jen.Code {
	fill, outs := c.output()
	if c.recv != nil && c.e.has(c.recv.Object.Go, changed(c.v)) {
		c.post = append(c.post, id(c.self, changed(c.v)).Call())
	}
	if c.v.Creates == nil {
		return slices.Concat(c.post, c.hint(), fill, []jen.Code{jen.Return(append(outs, jen.Nil())...)})
	}
	outs = append(append([]jen.Code{id("o")}, outs...), jen.Nil())
	return slices.Concat(c.created(), c.hint(), fill, []jen.Code{jen.Return(outs...)})
}

// doc is the comment of the method.
func (c *call) doc(does, rules string) string {
	more := []string{c.m.Doc, listed(c.docs)}
	if c.v.Since != "" {
		more = append(more, say("since", words{"Release": c.v.Since}))
	}
	return doc(c.out.name, does, c.v.C, c.v.Page, append(more, rules)...)
}

// listed makes a list in a doc comment.
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "  - " + strings.Join(items, "\n  - ")
}

// moved is the parameter that a method puts its receiver below, or nil.
func moved(v *model.Verb) *model.Param {
	return model.First(v.Params, func(p *model.Param) bool { return p.Moves })
}

// move puts the receiver below another object of the type that one of its parents has: what a call that succeeds does in C.
func (c *call) move(to *model.Param, call []jen.Code) []jen.Code {
	owner := c.self + "." + model.Unexported(to.Object.Go)
	return []jen.Code{lock(c.self + ".mu"),
		c.zero.onErr(rt("object", "Move").Call(id("verb"), ref(id(c.self, "h.Node")), ref(id(owner, "h.Node")), ref(id(to.Go, "h.Node")),
			function(types("error"), append(call, jen.Return(jen.Nil()))...))),
		assign(id(owner), id(to.Go))}
}

// attach attaches or detaches the receiver by a call, and names what it is attached to by the other parameters:
//
//	label := fmt.Sprintf("gid %v, lid %v", gid, lid)
//	if err := qp.h.Detach(label, func() error { ... }); err != nil {
func (c *call) attach(call []jen.Code) []jen.Code {
	var format []string
	var values []jen.Code
	for _, p := range c.v.Params[1:] {
		format, values = append(format, p.Go+" %v"), append(values, id(p.Go))
	}
	label := jen.Qual("fmt", "Sprintf").Call(append([]jen.Code{jen.Lit(strings.Join(format, ", "))}, values...)...)
	by := func(body []jen.Code) jen.Code {
		return function(types("error"), append(body, jen.Return(jen.Nil()))...)
	}
	name, args := "Detach", []jen.Code{id("label"), by(call)}
	if end := c.v.Part(form.PartDetach); end != nil {
		name, args = "Attach", []jen.Code{id("label"), jen.Lit(end.C), by(call), by(c.e.destroyCall(c.recv.Object, end, false, c.args...))}
	}
	return append([]jen.Code{define("label").Add(label)},
		c.zero.onErr(id(c.self, "h", name).Call(args...)))
}
