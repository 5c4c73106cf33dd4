package emit

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// call is one method in the making.
type call struct {
	e       *emitter
	v       *model.Verb
	m       *model.Method
	recv    *model.Param              // nil for methods of Lib
	params  []jen.Code                // of the Go method
	docs    []string                  // of its parameters
	pre     []jen.Code                // before the rules: uses begun, memory pinned
	prep    []jen.Code                // before the call
	post    []jen.Code                // after success
	args    []jen.Code                // of the raw call
	in      map[string]*jen.Statement // what the rules see of a parameter
	fail    fail
	cleanup []jen.Code // before a refusal by the rules
	keep    bool       // a release function is pending
}

// method makes one Go face of a verb:
//
//	func (dev *Device) AllocPD() (*PD, error) {
//		const verb = "ibv_alloc_pd"
//		... handles entered, memory held
//		... rules
//		... the call, and what becomes of its result
//	}
func (e *emitter) method(g *goFile, v *model.Verb, m *model.Method) {
	c := &call{e: e, v: v, m: m, in: map[string]*jen.Statement{}}
	var results []jen.Code
	results, c.fail = c.results()
	c.receiver()
	c.pre = append(c.pre, e.missingCheck(v, c.lib(), c.fail))
	c.memory()
	for _, p := range v.Params {
		c.param(p)
	}
	receiver := recv("l", "Lib")
	if c.recv != nil {
		receiver = recv(c.recv.Go, c.recv.Object.Go)
	}
	body := slices.Concat([]jen.Code{constVerb(v.C)}, c.pre, c.rules(), c.prep, c.invoke(), c.success())
	g.fn(fn{doc: c.doc(), recv: receiver, name: m.Name, params: c.params, results: errResult(results...), body: body})
}

// lib is the expression of the Lib.
func (c *call) lib() *jen.Statement {
	if c.recv == nil {
		return id("l")
	}
	return id(c.recv.Go, "lib")
}

// dev is the expression of the root object.
func (c *call) dev() *jen.Statement {
	if c.recv.Object.Go == c.e.root() {
		return id(c.recv.Go)
	}
	return id(c.recv.Go, "dev")
}

// results gives the types of the method's results before the error, and their values in a failing return.
func (c *call) results() (types []jen.Code, zero fail) {
	if c.v.Creates != nil {
		return []jen.Code{ptr(c.v.Creates.Go)}, fail{jen.Nil()}
	}
	for _, p := range c.v.Params {
		switch p.Role {
		case spec.RoleOutRec:
			types, zero = append(types, ptr(p.GoType)), append(zero, jen.Nil())
		case spec.RoleOut:
			if p.GoType != "" {
				return []jen.Code{goType(p.GoType)}, fail{goType(p.GoType).Values()}
			}
			return []jen.Code{goType(c.outType(p))}, fail{jen.Lit(0)}
		}
	}
	return types, zero
}

func (c *call) receiver() {
	for _, p := range c.v.Params {
		if p.Object != nil && p.Object.Go == c.m.Recv && c.recv == nil {
			c.recv = p
		}
	}
	if c.recv != nil {
		c.pre = append(c.pre, enterHandle(id(c.recv.Go), c.fail)...)
	}
}

// invoke makes the raw call, with an early return of its error:
//
//	if errno := rawX(l.fn[symIbv_x], qp.c); errno != 0 {
//		return verr.Failed(verb, errno, nil)
//	}
func (c *call) invoke() []jen.Code {
	raw := c.e.callShim(c.v, c.lib(), c.args...)
	var out []jen.Code
	if c.callbacks() && c.m.Form != form.ParentDomain {
		out = append(out, id(c.recv.Go, "calls.Begin").Call())
	}
	failed := c.fail.with(c.failed())
	switch c.v.Returns {
	case spec.RetNullErrno:
		return append(out, define("ptr", "errno").Add(raw), jen.If(isNil(id("ptr"))).Block(failed))
	case spec.RetErrno:
		return append(out, jen.If(define("errno").Add(raw), op(id("errno"), "!=", jen.Lit(0))).Block(failed))
	case spec.RetMinus1:
		return append(out, define("n", "errno").Add(raw), jen.If(op(id("n"), "<", jen.Lit(0))).Block(failed))
	}
	return append(out, raw)
}

// callbacks tells whether the call may run the allocator of a parent domain.
func (c *call) callbacks() bool {
	pd := c.e.parentDomain()
	if pd == nil || !c.v.Callbacks {
		return false
	}
	return c.m.Form == form.ParentDomain || c.recv != nil && c.recv.Object == pd.Creates
}

// failed is the error of the call: verr.Failed(verb, errno, hints), or that of the allocator's calls.
func (c *call) failed() *jen.Statement {
	by := rt("verr", "Failed")
	switch {
	case c.callbacks() && c.m.Form == form.ParentDomain:
		by = id("calls.Failed")
	case c.callbacks():
		by = id(c.recv.Go, "calls.Failed")
	}
	return by.Call(id("verb"), id("errno"), c.hints())
}

// hints is the function that explains a failure, or nil:
//
//	func() []string { return append(verr.Texts(hintX(&in)), verr.MemlockHints(errno)...) }
func (c *call) hints() *jen.Statement {
	lints, pins := len(checked(c.v, true)) > 0, c.m.Form != form.ParentDomain && c.pins()
	byRules, byLimit := rt("verr", "Texts").Call(id("hint"+c.v.Go).Call(ref(id("in")))), rt("verr", "MemlockHints").Call(id("errno"))
	var all *jen.Statement
	switch {
	case lints && pins:
		all = jen.Append(byRules, byLimit.Op("..."))
	case lints:
		all = byRules
	case pins:
		all = byLimit
	default:
		return jen.Nil()
	}
	return jen.Func().Params().Index().String().Add(short(jen.Return(all)))
}

// pins tells whether the verb pins host memory: then ENOMEM may be the limit on locked memory.
func (c *call) pins() bool {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleAddr || p.Record != nil && c.v.Creates != nil && memoryField(p.Record) != nil {
			return true
		}
	}
	return false
}

// success is what follows a call that succeeded.
func (c *call) success() []jen.Code {
	if c.v.Creates != nil {
		return c.created()
	}
	return append(c.post, c.output()...)
}

// created makes the handle of the new object:
//
//	o := newMR(pd.dev, ptr)
//	o.pd = pd
//	if err := o.adopt(&pd.node); err != nil {
//		return nil, err
//	}
//	return o, nil
func (c *call) created() []jen.Code {
	made := c.v.Creates
	owner, parents := id("l"), []jen.Code(nil)
	if made.Go != c.e.root() {
		owner, parents = c.dev(), c.parents()
	}
	out := []jen.Code{define("o").Id("new"+made.Go).Call(owner, id("ptr"))}
	for _, parent := range made.Parents {
		if c.recv != nil && c.recv.Object == parent && parent.Go != c.e.root() {
			out = append(out, assign(id("o", lowerFirst(parent.Go)), id(c.recv.Go)))
		}
	}
	switch {
	case c.m.Form == form.Buffer:
		out = append(out, remark(keepBuffer(id("buf"), made), "until Close has succeeded"))
	case c.keep:
		kept := jen.List(id("o.release"), id("release")).Op("=").List(id("release"), jen.Nil())
		out = append(out, remark(kept, "kept until Close has succeeded"))
	}
	out = append(append(out, c.post...), c.attached()...)
	return append(out, c.fail.onErr(id("o.adopt").Call(parents...)), jen.Return(id("o"), jen.Nil()))
}

// keepBuffer keeps a buffer in the name of the new object: o.release = buf.Keep("MR (" + o.label() + ")").
func keepBuffer(buf *jen.Statement, made *model.Object) *jen.Statement {
	who := jen.Lit(made.Go + " (").Op("+").Id("o").Dot("label").Call().Op("+").Lit(")")
	return assign(id("o.release"), dot(buf, "Keep").Call(who))
}

// attached is what single objects learn before anybody sees them: the channel of a queue, and the copies of device memory,
// whose attaching may fail: the first copy returns that error.
func (c *call) attached() []jen.Code {
	attach := func(length, known jen.Code) *jen.Statement {
		return remark(assign(id("_"), id("o.mem.Attach").Call(id("ptr"), length, known)), "an error of attaching is returned by the first copy")
	}
	switch {
	case c.m.Form == form.CreateCQ:
		return []jen.Code{assign(id("o.channel"), id("channel"))}
	case c.m.Form == form.ImportDM:
		return []jen.Code{assign(id("o.imported"), jen.True()), attach(id("length"), op(id("length"), "!=", jen.Lit(0)))}
	case c.v.Extent != nil:
		return []jen.Code{attach(id(c.v.Extent.Param.Go+"C", c.v.Extent.Leaf.Go), jen.True())}
	}
	return nil
}

// parents are the nodes that the new object lives under: &pd.node, nodeOfCQ(attr.sendCQ).
func (c *call) parents() []jen.Code {
	var out []jen.Code
	for _, p := range c.v.Params {
		switch {
		case p.Object != nil && p.Parent && p.Null:
			out = append(out, c.e.nodeOf(p.Object).Call(id(p.Go)))
		case p.Object != nil && (p == c.recv || p.Parent):
			out = append(out, ref(id(p.Go, "node")))
		}
	}
	for _, p := range c.v.Params {
		if p.Role != spec.RoleInRec {
			continue
		}
		for _, f := range p.Record.Fields {
			if f.Object != nil {
				out = append(out, c.e.nodeOf(f.Object).Call(id(p.Go, lowerFirst(f.Go))))
			}
		}
	}
	return out
}

// output makes the return of what a verb filled:
//
//	out := new(PortAttr)
//	out.from(&portAttrC)
//	return out, nil
func (c *call) output() []jen.Code {
	var fill, outs []jen.Code
	for _, p := range c.v.Params {
		switch p.Role {
		case spec.RoleOutRec:
			mirror := id(p.Go + "C")
			if r := c.e.capsRecord(); r != nil && p.Record == r {
				fill = append(fill, c.keepCaps(mirror, r))
			}
			out := "out"
			if len(outs) > 0 {
				out = p.Go
			}
			fill = append(fill, define(out).New(goType(p.GoType)), id(out, "from").Call(ref(mirror)))
			outs = append(outs, id(out))
		case spec.RoleOut:
			outs = append(outs, id(p.Go))
		}
	}
	return append(fill, jen.Return(append(outs, jen.Nil())...))
}

// keepCaps keeps the capabilities for later rules, unless the plain attributes alone were answered:
//
//	if attrC.comp_mask == 0 {
//		// not the plain attributes alone: what is 0 is known to be 0
//		dev.caps.Store(&attrC)
//	}
func (c *call) keepCaps(mirror *jen.Statement, r *model.Record) *jen.Statement {
	return jen.If(op(dot(mirror, r.Mask), "==", jen.Lit(0))).Block(
		jen.Comment("// not the plain attributes alone: what is 0 is known to be 0"),
		id(c.recv.Go, "caps.Store").Call(ref(mirror)))
}

// doc is the comment of the method.
func (c *call) doc() string {
	more := []string{c.m.Doc, listed(c.docs)}
	if c.v.Since != "" {
		more = append(more, "Since rdma-core "+c.v.Since+"; an older library gives an error that is errors.ErrUnsupported.")
	}
	more = append(more, c.ruleList())
	return doc(c.m.Name, c.v.Doc, c.v.C, c.v.Page, more...)
}

// ruleList names the rules of the verb for its doc comment; that a handle is not nil goes without saying.
func (c *call) ruleList() string {
	var rules []string
	for _, r := range c.v.Rules {
		if !r.Checked || r.Implied {
			continue // the handles see to it, or the builder does
		}
		lint := ""
		if r.Lint {
			lint = " (a hint only: some devices accept it)"
		}
		rules = append(rules, r.Statement+lint+" ["+r.ID+"]")
	}
	if len(rules) == 0 {
		return ""
	}
	return "Rules:\n" + listed(rules)
}

// listed makes a list in a doc comment.
func listed(items []string) string {
	if len(items) == 0 {
		return ""
	}
	return "  - " + strings.Join(items, "\n  - ")
}
