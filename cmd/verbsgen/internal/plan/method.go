package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// call is a method in the making: one that takes its verb's parameters in order.
type call struct {
	b         *builder
	v         *model.Verb
	m         *model.Method
	recv      *model.Param // nil for methods of Lib
	self      string
	lib, root string // paths of the library and of the root object
	out       *Method
	docs      []string         // of the parameters
	pre       []Step           // before the rules: uses begun, memory held
	prep      []Step           // before the call
	post      []Step           // after success
	args      []Value          // of the raw call
	in        map[string]Value // what the rules see of a parameter
	core      bool             // it takes memory as a mem.Source, for several methods
	keep      bool             // memory is held
	many      string           // variable with the handles of lists, under which the new object lives; empty where there are none
	others    map[string]bool  // variables with the handles of other packages
	release   string           // lets go of memory before a refusal by the rules
}

// newCall begins the plan of a method: its receiver is entered, and a missing function refused.
func (b *builder) newCall(v *model.Verb, m *model.Method) *call {
	c := &call{b: b, v: v, m: m, self: "l", lib: "l", in: map[string]Value{}, others: map[string]bool{},
		out: &Method{Name: m.Name, Verb: v, Recv: Var{Name: "l", Type: "*Lib"}, OrZero: true}}
	for _, p := range v.Params {
		if p.Object != nil && p.Object.Go == m.Recv {
			c.recv, c.self, c.lib, c.root = p, p.Go, p.Go+".lib", p.Go
			switch b.root() {
			case p.Object.Go:
			case "":
				c.root = ""
			default:
				c.root += ".dev"
			}
			c.out.Recv, c.out.OrZero = Var{Name: p.Go, Type: "*" + p.Object.Go}, false
			c.pre = []Step{Enter{Handle: p.Go}}
			break
		}
	}
	c.pre = append(c.pre, b.missing(v, c.lib)...)
	if v.EndedBy != nil {
		c.pre = append(c.pre, b.missing(v.EndedBy, c.lib)...)
	}
	if v.Creates != nil && v.Creates.From != nil {
		c.uses(v.Creates.From)
	}
	return c
}

// method plans a method of a form that takes the parameters in order:
// handles entered and memory held, the rules, the call, and what becomes of its result.
func (b *builder) method(v *model.Verb, m *model.Method) []Decl {
	c := b.newCall(v, m)
	c.results()
	for _, p := range v.Params {
		c.param(p)
	}
	c.findRoot()
	c.out.Steps = slices.Concat([]Step{Name{v.C}}, c.pre, c.check(), c.prep, c.begin(), c.invoke(), c.marked(), c.hint(), c.success())
	c.out.OrZero = c.out.OrZero && mentions(c.out.Steps, c.self)
	c.out.Doc = c.doc(v.Doc)
	return []Decl{c.out}
}

// missing refuses a verb whose functions the loaded library lacks. Of the functions of a special any one is enough, and an op
// of the context may stand in for them all; then there is nothing to refuse.
func (b *builder) missing(v *model.Verb, lib string) []Step {
	if len(v.Symbols()) == 0 || v.Special != nil && v.Special.Op {
		return nil
	}
	s := Missing{Verb: v.C, Lib: lib}
	for _, x := range v.Symbols() {
		s.Symbols = append(s.Symbols, x.Name)
	}
	return []Step{s}
}

// results gives the method's results, and their values in a return of an error.
func (c *call) results() {
	add := func(typ string, zero Value) {
		c.out.Results, c.out.Zero = append(c.out.Results, Var{Type: typ}), append(c.out.Zero, zero)
	}
	if c.v.Creates != nil {
		add("*"+cmp.Or(c.v.Creates.Ref, c.v.Creates.Go), null)
	}
	switch {
	case c.v.Returns == spec.RetNumber: // 0 is a file descriptor, and an index of a table
		add("int", minus1)
	case counts(c.v):
		add("int", zero)
	case c.v.Result == "string":
		add(c.v.Result, text(""))
	case c.v.Result == "bool":
		add(c.v.Result, val("false"))
	case c.v.Result != "":
		add(c.v.Result, zero)
	}
	for _, p := range c.v.Params {
		if result := byRole[p.Role].result; result != nil {
			add(result(c, p))
		}
	}
	c.out.Results = append(c.out.Results, Var{Type: "error"})
}

// invoke plans the raw call.
func (c *call) invoke() []Step {
	s := Call{Verb: c.v.C, By: raw(c.v, c.lib, c.args...), Answer: answer(c.v), Failure: c.failure()}
	switch {
	case s.Answer == Pointer:
		s.Into = "ptr"
	case counts(c.v):
		s.Into = "n"
	case c.v.Result != "":
		s.Into = "x"
	}
	if len(c.v.Checked(true)) > 0 {
		s.Failure.Lints = c.v.Go
	}
	if to := moved(c.v); to != nil {
		return c.move(to, []Step{s})
	}
	if c.v.Updates {
		return []Step{Try{Call: of("object", "Locked", addr(c.self+".mu"),
			function(nil, errOnly, s, do(result(c.self+".load")), ret(null)))}}
	}
	if !c.callbacks() {
		return []Step{s}
	}
	s.Failure.By = c.self + ".calls"
	return []Step{do(result(s.Failure.By + ".Begin")), s}
}

// failure is what may explain that the call failed.
func (c *call) failure() Failure {
	f := Failure{Causes: c.v.Causes, Node: c.v.Node, Memory: c.pinned()}
	if f.Node != "" || f.Memory != nil {
		f.Lib = c.lib
	}
	if f.Memory != nil {
		f.Device = c.root
	}
	if w := c.v.Route; w != nil {
		f.Route, f.Device = w.Param.Go+"C"+w.Path, c.root
	}
	return f
}

// pinned is the address, length and access flags of the memory that the device takes, nil where it takes none.
func (c *call) pinned() []Value {
	var at, length Value
	access := zero
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
	return []Value{at, length, access}
}

// leaf is a field of a record that is passed, as a number.
func (c *call) leaf(p *model.Param, l *model.Leaf) Value {
	return converted("uint64", val(p.Go+"C."+l.Go))
}

// answer is how a verb says that it failed.
func answer(v *model.Verb) Answer {
	switch v.Returns {
	case spec.RetNullErrno, spec.RetArgument:
		return Pointer
	case spec.RetErrno:
		return Errno
	case spec.RetEither:
		return Either
	case spec.RetMinus1, spec.RetNumber:
		return Negative
	case spec.RetNegated:
		return Negated
	case spec.RetRereg:
		return Code
	}
	return Nothing
}

// counts reports whether the number that a verb returns is a result.
func counts(v *model.Verb) bool { return v.Returns == spec.RetNumber || v.Returns == spec.RetNegated }

// callbacks reports whether the call may run the allocator of a parent domain.
func (c *call) callbacks() bool {
	return c.v.Callbacks && c.recv != nil && slices.ContainsFunc(c.b.writtenFields(c.recv.Object),
		func(x special.Field) bool { return x.Name == "calls" })
}

// pins reports whether the verb pins host memory: then ENOMEM may be the limit on locked memory.
func (c *call) pins() bool {
	return slices.ContainsFunc(c.v.Params, func(p *model.Param) bool {
		return p.Role.Passes == role.PassesHost || p.Record != nil && c.v.Creates != nil && memoryField(p.Record) != nil
	})
}

// success is what follows a call that succeeded.
func (c *call) success() []Step {
	fill, outs := c.output()
	if c.v.Creates == nil {
		return slices.Concat(c.post, fill, []Step{Return{append(outs, null)}})
	}
	return slices.Concat(c.created(), fill, []Step{Return{append(append([]Value{val("o")}, outs...), null)}})
}

// doc is the comment of the method.
func (c *call) doc(does string) Doc {
	more := []string{c.m.Doc, listed(c.docs)}
	if c.v.Since != "" {
		more = append(more, Says("since", Words{"Release": c.v.Since}))
	}
	return Doc{Does: does, C: c.v.C, Page: c.v.Page, More: append(more, ruleList(c.v))}
}

// listed makes a list in a doc comment.
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "  - " + strings.Join(items, "\n  - ")
}

// refuseNil refuses an argument that is nil and no handle.
func refuseNil(name, what, fix string) Refuse {
	return Refuse{isNil(name), of("verr", "NilValue", verb, text(what), text(fix))}
}
