package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// verbsFile writes the methods that call verbs.
func (e *emitter) verbsFile() *goFile {
	g := e.newFile("verbs.gen.go")
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			switch m.Form {
			case "device_list", "open_device", "devmem": // written with what they belong to
			case "rereg":
				e.rereg(g, v, m)
			case "post_send", "post_recv", "poll_cq", "req_notify", "next_event", "next_async": // see queues.go and events.go
			default:
				e.method(g, v, m)
			}
		}
	}
	if e.parentDomain() != nil {
		e.allocator(g)
	}
	e.queues(g)
	e.eventsOf(g)
	return g
}

// Forms of methods: how the memory of a registration is given.
const (
	formBytes    = "bytes"    // a slice, pinned until the object is closed
	formBuffer   = "buffer"   // a mem.Buffer, held until the object is closed
	formImplicit = "implicit" // the whole address space, on demand
	formParent   = "parent_domain"
	formImportDM = "import_dm"
)

// call is one method in the making.
type call struct {
	e      *emitter
	v      *model.Verb
	m      *model.Method
	recv   *model.Param // nil for methods of Lib
	params []string     // of the Go method
	docs   []string     // of its parameters
	pre    []string     // before the rules: uses begun, memory pinned
	prep   []string     // before the call
	post   []string     // after success
	args   []string     // of the raw call
	in     map[string]string
	fail   string // first values of a failing return: "nil, " or ""
	keep   bool   // a release function is pending
}

// method writes one Go face of a verb.
func (e *emitter) method(g *goFile, v *model.Verb, m *model.Method) {
	c := &call{e: e, v: v, m: m, in: map[string]string{}}
	results, zero := c.results()
	c.fail = zero
	c.receiver()
	if missing := e.missingCheck(v, c.lib(), "return "+c.fail); missing != "" {
		c.pre = append(c.pre, strings.TrimSuffix(missing, "\n"))
	}
	c.memory()
	for _, p := range v.Params {
		c.param(p)
	}
	recv := "l *Lib"
	if c.recv != nil {
		recv = c.recv.Go + " *" + c.recv.Object.Go
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nfunc (%s) %s(%s) %s {\nconst verb = %q\n", c.doc(), recv, m.Name, strings.Join(c.params, ", "), results, v.C)
	for _, part := range [][]string{c.pre, c.rules(), c.prep, {c.callAndReturn()}} {
		for _, s := range part {
			b.WriteString(s + "\n")
		}
	}
	g.add("%s\n}", strings.TrimSpace(b.String()))
}

func (c *call) lib() string {
	if c.recv == nil {
		return "l"
	}
	return c.recv.Go + ".lib"
}

// dev is the expression of the root object.
func (c *call) dev() string {
	if c.recv == nil {
		return ""
	}
	if c.recv.Object.Go == c.e.root() {
		return c.recv.Go
	}
	return c.recv.Go + ".dev"
}

// results gives the result list of the method and the values before the error in a failing return.
func (c *call) results() (list, zero string) {
	if c.v.Creates != nil {
		return "(*" + c.v.Creates.Go + ", error)", "nil, "
	}
	for _, p := range c.v.Params {
		switch p.Role {
		case spec.RoleOutRec:
			list, zero = list+"*"+p.GoType+", ", zero+"nil, "
		case spec.RoleOut:
			if p.GoType != "" {
				return "(" + p.GoType + ", error)", p.GoType + "{}, "
			}
			return "(" + c.outType(p) + ", error)", "0, "
		}
	}
	if list == "" {
		return "error", ""
	}
	return "(" + list + "error)", zero
}

func (c *call) receiver() {
	for _, p := range c.v.Params {
		if p.Object != nil && p.Object.Go == c.m.Recv && c.recv == nil {
			c.recv = p
		}
	}
	if c.recv != nil {
		c.enter(c.recv.Go)
	}
}

// enter begins the use of a handle until the method returns.
func (c *call) enter(h string) {
	c.pre = append(c.pre, fmt.Sprintf("if err := %s.enter(verb); err != nil {\nreturn %serr\n}\ndefer %s.node.Exit()", h, c.fail, h))
}

// memory writes how the forms of a registration give its memory.
func (c *call) memory() {
	var addr *model.Param
	for _, p := range c.v.Params {
		if p.Role == spec.RoleAddr {
			addr = p
		}
	}
	if addr == nil || addr.Len == nil {
		return
	}
	begin := func(take string) {
		c.keep = true
		c.pre = append(c.pre, take+"\ndefer func() {\nif release != nil {\nrelease()\n}\n}()")
	}
	switch c.m.Form {
	case formBytes:
		c.params = append(c.params, "buf []byte")
		begin(fmt.Sprintf("pin, err := mem.PinBytes(buf)\nif err != nil {\nreturn %sverr.Memory(verb, err)\n}\nrelease := pin.Unpin\n%s, %s := pin.Addr(), pin.Len()", c.fail, addr.Go, addr.Len.Go))
	case formBuffer:
		c.params = append(c.params, "buf *mem.Buffer")
		begin(fmt.Sprintf("if buf == nil {\nreturn %[1]sverr.NilValue(verb, \"buffer\", \"make one with mem.New\")\n}\nif err := buf.Retain(verb); err != nil {\nreturn %[1]serr\n}\nrelease := func() { buf.Release(verb) }\n%[2]s, %[3]s := buf.Addr(), buf.Len()", c.fail, addr.Go, addr.Len.Go))
	case formImplicit:
		c.pre = append(c.pre, fmt.Sprintf("const (\n%s uintptr = 0\n%s uint64 = math.MaxUint64\n)", addr.Go, addr.Len.Go))
	default:
		c.params = append(c.params, addr.Go+" uintptr", addr.Len.Go+" uint64")
	}
}

// isMemory tells whether a parameter is the address or length that memory() gave.
func (c *call) isMemory(p *model.Param) bool {
	if p.Role == spec.RoleAddr {
		return p.Len != nil
	}
	for _, q := range c.v.Params {
		if q.Role == spec.RoleAddr && q.Len == p {
			return true
		}
	}
	return false
}

// callAndReturn writes the raw call and what becomes of its result.
func (c *call) callAndReturn() string {
	v := c.v
	raw := fmt.Sprintf("raw%s(%s%s)", v.Go, c.e.fnArgs(v, c.lib()), strings.Join(c.args, ", "))
	hints := c.hints()
	var b strings.Builder
	if a := c.allocCalls(); a != "" && a != "calls" {
		b.WriteString(a + ".begin()\n")
	}
	switch v.Returns {
	case spec.RetNullErrno:
		fmt.Fprintf(&b, "ptr, errno := %s\nif ptr == nil {\nreturn %s%s\n}\n", raw, c.fail, c.failed(hints))
	case spec.RetErrno:
		fmt.Fprintf(&b, "if errno := %s; errno != 0 {\nreturn %s%s\n}\n", raw, c.fail, c.failed(hints))
	case spec.RetMinus1:
		fmt.Fprintf(&b, "n, errno := %s\nif n < 0 {\nreturn %s%s\n}\n", raw, c.fail, c.failed(hints))
	default:
		b.WriteString(raw + "\n")
	}
	b.WriteString(c.success())
	return b.String()
}

// hints gives the function that explains a failure.
func (c *call) hints() string {
	lints, pins := len(checked(c.v, true)) > 0, c.m.Form != formParent && c.pins()
	switch {
	case lints && pins:
		return fmt.Sprintf("func() []string { return append(hint%s(&in), verr.MemlockHints(errno)...) }", c.v.Go)
	case lints:
		return fmt.Sprintf("func() []string { return hint%s(&in) }", c.v.Go)
	case pins:
		return "func() []string { return verr.MemlockHints(errno) }"
	}
	return "nil"
}

// pins tells whether the verb pins host memory: then ENOMEM may be the limit on locked memory.
func (c *call) pins() bool {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleAddr || p.Record != nil && c.v.Creates != nil && p.Record.Mirror.Find("addr") != nil {
			return true
		}
	}
	return false
}

// allocCalls is the expression of the allocator that the call may run; empty when there is none.
func (c *call) allocCalls() string {
	pd := c.e.parentDomain()
	switch {
	case pd == nil || !c.v.Callbacks:
		return ""
	case c.m.Form == formParent:
		return "calls"
	case c.recv != nil && c.recv.Object == pd.Creates:
		return c.recv.Go + ".calls"
	}
	return ""
}

// failed is the error of the call.
func (c *call) failed(hints string) string {
	if a := c.allocCalls(); a != "" {
		return fmt.Sprintf("%s.failed(verb, errno, %s)", a, hints)
	}
	return fmt.Sprintf("verr.Failed(verb, errno, %s)", hints)
}

// success writes what follows a call that succeeded.
func (c *call) success() string {
	v := c.v
	if v.Creates == nil {
		return strings.Join(c.post, "\n") + c.output()
	}
	var parents []string
	for _, p := range v.Params {
		switch {
		case p.Object != nil && p.Parent && p.Null:
			parents = append(parents, fmt.Sprintf("nodeOf%s(%s)", p.Object.Go, p.Go))
		case p.Object != nil && (p == c.recv || p.Parent):
			parents = append(parents, "&"+p.Go+".node")
		}
	}
	parents = append(parents, c.fieldParents()...)
	owner := c.dev()
	if v.Creates.Go == c.e.root() {
		owner, parents = "l", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "o := new%s(%s, ptr)\n", v.Creates.Go, owner)
	for _, parent := range v.Creates.Parents {
		if c.recv != nil && c.recv.Object == parent && parent.Go != c.e.root() {
			fmt.Fprintf(&b, "o.%s = %s\n", lowerFirst(parent.Go), c.recv.Go)
		}
	}
	switch {
	case c.m.Form == formBuffer:
		fmt.Fprintf(&b, "o.release = buf.Keep(\"%s (\"+o.label()+\")\") // until Close has succeeded\n", v.Creates.Go)
	case c.keep:
		b.WriteString("o.release, release = release, nil // kept until Close has succeeded\n")
	}
	for _, s := range c.post {
		b.WriteString(s + "\n")
	}
	switch {
	case c.m.Form == "create_cq":
		b.WriteString("o.channel = channel\n")
	case c.m.Form == formImportDM:
		b.WriteString("o.imported = true\n_ = o.mem.Attach(ptr, length, length != 0) // what it refuses is what the copies answer\n")
	case v.Creates.Device:
		b.WriteString("_ = o.mem.Attach(ptr, attrC.length, true) // what it refuses is what the copies answer\n")
	}
	fmt.Fprintf(&b, "if err := o.adopt(%s); err != nil {\nreturn nil, err\n}\nreturn o, nil\n", strings.Join(parents, ", "))
	return b.String()
}

// output writes the return of what a verb filled.
func (c *call) output() string {
	var fill, outs strings.Builder
	for _, p := range c.v.Params {
		switch p.Role {
		case spec.RoleOutRec:
			if r := c.e.capsRecord(); r != nil && p.Record == r {
				fmt.Fprintf(&fill, "if %[1]sC.comp_mask == 0 { // not the plain attributes alone: what is 0 is known to be 0\n%[2]s.caps.Store(&%[1]sC)\n}\n", p.Go, c.recv.Go)
			}
			out := "out"
			if outs.Len() > 0 {
				out = p.Go
			}
			fmt.Fprintf(&fill, "%[1]s := new(%[2]s)\n%[1]s.from(&%[3]sC)\n", out, p.GoType, p.Go)
			outs.WriteString(out + ", ")
		case spec.RoleOut:
			outs.WriteString(p.Go + ", ")
		}
	}
	return fill.String() + "return " + outs.String() + "nil\n"
}

// doc is the comment of the method.
func (c *call) doc() string {
	more := []string{c.m.Doc}
	if len(c.docs) > 0 {
		more = append(more, "  - "+strings.Join(c.docs, "\n  - "))
	}
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
		if !r.Checked || r.Kind == spec.KindGatedBy || r.Kind == spec.KindNotNull && r.Subject.Param != nil && r.Subject.Leaf == nil {
			continue // the handles see to it, or the builder does
		}
		lint := ""
		if r.Lint {
			lint = " (a hint only: some devices accept it)"
		}
		rules = append(rules, "  - "+r.Statement+lint+" ["+r.ID+"]")
	}
	if len(rules) == 0 {
		return ""
	}
	return "Rules:\n" + strings.Join(rules, "\n")
}
