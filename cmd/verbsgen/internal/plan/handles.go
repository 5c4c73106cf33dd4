package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// handle plans the type of an object with what every handle has.
func (b *builder) handle(o *model.Object) []Decl {
	decls := []Decl{b.handleType(o), enter(o), b.newHandle(o), b.adopt(o), b.load(o), b.label(o), b.closeHandle(o)}
	if o.Device {
		decls = append(decls, b.destroyDM(o)...)
	} else {
		decls = append(decls, b.free(o))
		decls = append(append(decls, b.enders(o)...), b.destroy(o)...)
	}
	if b.isParent(o) {
		decls = append(decls, closeAll(o))
	}
	decls = append(decls, b.getters(o)...)
	if o.Go == b.root() {
		decls = append(decls, b.capabilities(o)...)
	}
	if o.Device {
		decls = append(decls, b.deviceMemory(o)...)
	}
	if o.Host {
		decls = append(decls, hostMemory(o)...)
	}
	if o.Region != nil {
		decls = append(decls, b.region(o)...)
	}
	return decls
}

// root is the Go name of the object that everything else is made from; empty where there is none.
func (b *builder) root() string {
	if b.pkg.Root == nil {
		return ""
	}
	return b.pkg.Root.Go
}

// below tells whether an object is made from the root.
func (b *builder) below(o *model.Object) bool { return b.root() != "" && o.Go != b.root() }

// changes tells whether a verb changes the object in place: then its getters may run beside it.
func (b *builder) changes(o *model.Object) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool {
		return (moved(v) != nil || v.Updates) && slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv == o.Go })
	})
}

// owners are the parents of an object below the root: the handle keeps them.
func (b *builder) owners(o *model.Object) []*model.Object {
	return slices.DeleteFunc(slices.Clone(o.Parents), func(p *model.Object) bool { return p.Go == b.root() })
}

// isParent tells whether something is made from the object.
func (b *builder) isParent(o *model.Object) bool {
	return slices.ContainsFunc(b.pkg.Objects, func(x *model.Object) bool { return slices.Contains(x.Parents, o) })
}

// isParentDomain tells whether an object may be a parent domain.
func (b *builder) isParentDomain(o *model.Object) bool {
	return b.has(form.ParentDomain) && b.byForm[form.ParentDomain].Creates == o
}

// on is a helper method of a handle.
func on(o *model.Object, name, text string, results []Var, steps ...Step) *Method {
	return &Method{Doc: Doc{Text: text}, Recv: Var{Name: "o", Type: "*" + o.Go}, Name: name, Results: results, Steps: steps}
}

// errOnly is the result of a method that returns an error alone.
var errOnly = []Var{{Type: "error"}}

// one is a single result.
func one(typ string) []Var { return []Var{{Type: typ}} }

// ret returns values.
func ret(values ...Value) Return { return Return{values} }

// handleType plans the struct of a handle.
func (b *builder) handleType(o *model.Object) *Struct {
	fields := []Var{{Name: "node", Type: "object.Node"}, {Name: "lib", Type: "*Lib"}}
	if b.below(o) {
		fields = append(fields, Var{Name: "dev", Type: "*" + b.root()})
	}
	fields = append(fields, Var{Name: "c", Type: pointer}, Var{Name: "release", Type: "func()", Remark: "after the C object is gone"},
		Var{Name: "end", Type: "func() error", Remark: "ends a C object that another library made"})
	if o.Hot {
		fields = append(fields, Var{Name: "gate", Type: b.gateType(o), Remark: "c for the data path, which does not enter the handle"})
	}
	if len(b.endsOf(o)) > 0 {
		fields = append(fields, Var{Name: "ender", Type: "func() error", Remark: "ends a C object that " + o.Destroy.C + " is not for"})
	}
	fields = append(fields, b.extraFields(o)...)
	for _, p := range b.owners(o) {
		fields = append(fields, Var{Name: naming.Unexported(p.Go), Type: "*" + p.Go})
	}
	for _, x := range o.Getters {
		fields = append(fields, Var{Name: naming.Local(x.C), Type: x.GoType})
	}
	return &Struct{Doc{Does: "is " + naming.Lower(o.Doc), C: "struct " + o.C, Page: o.Page}, o.Go, fields}
}

// gateType is the type of what lets the data path use an object: requests keep the addresses of some.
func (b *builder) gateType(o *model.Object) string {
	if b.has(form.Address) && b.byForm[form.Address].m.Recv == o.Go {
		return "dpath.Address"
	}
	return "gate.Gate"
}

// extraFields are the fields that single families of methods need.
func (b *builder) extraFields(o *model.Object) (out []Var) {
	add := func(name, typ, remark string) { out = append(out, Var{Name: name, Type: typ, Remark: remark}) }
	if r := b.capsRecord(); r != nil && o.Go == b.root() {
		add("caps", "validate.Caps["+r.Mirror.Name+"]", "for the rules that need them")
	}
	if o.Made != nil {
		add("made", "*"+o.Made.Mirror.Name, "as the device made it, or nil")
	}
	if o.Device {
		add("mem", "devmem.DM", "")
		if b.has(form.ImportDM) {
			add("imported", "bool", "")
		}
	}
	if o.Host {
		add("mem", "mem.Foreign", "")
	}
	if b.named(o) {
		add("named", "dpath.Named", "c for requests that name it")
	}
	if o.Region != nil {
		add("region", "dpath.Place", "of which elements are made")
	}
	if o.Go == b.root() && slices.ContainsFunc(b.pkg.Objects, b.indexed) {
		add("handles", "object.Index", "that events name, by the address of the C object")
	}
	if b.listens(o) {
		add("waiting", "events.Listener["+b.waiter(o)+"]", "for events")
	}
	if cq := b.byForm[form.CreateCQ]; cq.Verb != nil && cq.Creates == o {
		add("channel", "*"+cq.Params[3].Object.Go, "where its events arrive, or nil")
	}
	if b.isAsked(o) {
		add("asked", "lazy.Asked", "what it was asked for when it was made")
	}
	if b.isParentDomain(o) {
		add("parent", "*"+o.Go, "of a parent domain")
		add("calls", "*pdalloc.Calls["+o.Go+"]", "of a parent domain with an allocator")
	}
	if b.changes(o) {
		add("mu", "sync.Mutex", "guards what a change in place changes")
	}
	return out
}

// nilHandle refuses a nil receiver.
func nilHandle(verb Value, o *model.Object) Refuse {
	return Refuse{as(IsNil, "o"), of("verr", "NilHandle", verb, text(o.Go))}
}

func enter(o *model.Object) *Method {
	m := on(o, "enter", "enter begins the use of the handle by a verb; exit ends it.", errOnly,
		nilHandle(verb, o), ret(result("o.node.Enter", verb)))
	m.Params = []Var{{Name: "verb", Type: "string"}}
	return m
}

// newHandle plans the constructor from a C object.
func (b *builder) newHandle(o *model.Object) *Method {
	owner := Var{Name: "dev", Type: "*" + b.root()}
	fields := []Entry{{"lib", val("dev.lib")}, {"dev", val("dev")}, {"c", val("c")}}
	if !b.below(o) {
		owner = Var{Name: "lib", Type: "*Lib"}
		fields = []Entry{{"lib", val("lib")}, {"c", val("c")}}
	}
	steps := []Step{Define{"o", composite("*"+o.Go, fields...)}}
	if o.Hot {
		steps = append(steps, Do{result("o.gate.Open", val("c"))})
	}
	if b.named(o) {
		steps = append(steps, Do{result("o.named.Open", val("c"))})
	}
	name := "new" + o.Go
	return &Method{Doc: Doc{Text: name + " makes the handle of a C object. It is open, and seen by its parents, once it is adopted."}, Name: name,
		Params: []Var{owner, {Name: "c", Type: pointer}}, Results: one("*" + o.Go),
		Steps: append(steps, Do{result("o.load")}, ret(val("o")))}
}

// adopt plans the opening of a handle. Events know it before anybody else can close it.
func (b *builder) adopt(o *model.Object) *Method {
	m := on(o, "adopt", "adopt opens the handle under its parents. When that fails, the C object is given back.", errOnly)
	m.Params = []Var{{Name: "parents", Type: "...*object.Node"}}
	m.Steps = append(b.inIndex(o, "Add"), Open{o.Go}, ret(null))
	return m
}

// load plans the reading of the C object.
func (b *builder) load(o *model.Object) *Method {
	m := on(o, "load", "load keeps the fields of struct "+o.C+" that have a getter, so that no getter reads C memory.", nil)
	for _, x := range o.Getters {
		field := Value{As: CField, Path: "o.c", Type: x.Layout, N: uint64(x.Offset)}
		s := set("o."+naming.Local(x.C), convert(x.GoType, x.Layout, field))
		s.Remark = x.C
		m.Steps = append(m.Steps, s)
	}
	return m
}

// label plans the name of a single object in messages.
func (b *builder) label(o *model.Object) *Method {
	m := on(o, "label", "label names the single object in messages.", one("string"), ret(text("")))
	m.Short = true
	for _, x := range o.Getters {
		base, before := uint64(10), " "
		if x.Label == spec.LabelHex {
			base, before = 16, " 0x"
		}
		if x.Label == "" {
			continue
		}
		number := Value{As: Numbered, Text: x.C + before, Path: "o." + naming.Local(x.C), N: base}
		domain := number
		domain.Text = "parent domain of " + domain.Text
		m.Steps = []Step{ret(number)}
		if b.isParentDomain(o) {
			m.Doc.Text = "label names the single object in messages; a parent domain has the handle of the domain that it extends."
			m.Steps, m.Short = []Step{If{as(IsGiven, "o.parent"), []Step{ret(domain)}}, ret(number)}, false
		}
	}
	return m
}

// getters plans what tells of a handle: whose it is, and the fields of the C object.
func (b *builder) getters(o *model.Object) (out []Decl) {
	getter := func(doc Doc, name, typ, field string, alone bool) {
		m := on(o, name, "", one(typ), ret(val("o."+field)))
		m.Doc, m.Short = doc, alone
		if b.changes(o) && !alone {
			m.Steps = append([]Step{Lock{"o.mu"}}, m.Steps...)
		}
		out = append(out, m)
	}
	belongs := func(p string) Doc { return Doc{Text: p + " returns the " + p + " to which the " + o.Go + " belongs."} }
	owners := b.owners(o)
	for _, p := range owners {
		doc := belongs(p.Go)
		if len(owners) > 1 { // not every verb that makes one names all of them
			doc.Text = strings.TrimSuffix(doc.Text, ".") + ", or nil."
		}
		getter(doc, p.Go, "*"+p.Go, naming.Unexported(p.Go), false)
	}
	if root := b.root(); b.below(o) {
		getter(belongs(root), root, "*"+root, "dev", true)
	}
	for _, x := range o.Getters {
		if x.Changes {
			out = append(out, b.changing(o, x)...)
			continue
		}
		getter(Doc{Does: "returns the " + strings.TrimPrefix(x.Doc, "the "), C: "struct " + o.C + "." + x.C, Page: o.Page}, x.Go, x.GoType, naming.Local(x.C), false)
	}
	out = append(append(append(out, b.addresses(o)...), b.lends(o)...), cPtr(o))
	if b.isParentDomain(o) {
		getter(Doc{Text: "Parent returns the protection domain that a parent domain extends; nil for a protection domain."}, "Parent", "*"+o.Go, "parent", true)
	}
	return out
}

// cPtr plans the way out to other C code.
func cPtr(o *model.Object) *Method {
	m := on(o, "CPtr", "", one(pointer), If{as(IsShut, "o"), []Step{ret(null)}}, ret(val("o.c")))
	m.Doc = Doc{Does: fmt.Sprintf("returns the address of the struct %s, for C code that the bindings do not call; nil after Close. What it costs: no rule is checked there, "+
		"Close does not wait for it, and what C makes from the object is nothing that Close can name. Keep the %s open until C is done, and have C not destroy it", o.C, o.Go), C: "struct " + o.C, Page: o.Page}
	return m
}

// nodeFunc plans the function that gives the node of a handle that may be nil, where it is used.
func (b *builder) nodeFunc(o *model.Object) []Decl {
	name := "nodeOf" + o.Go
	if !b.nodes[o] && !b.writtenUses(name) {
		return nil
	}
	return []Decl{&Method{Doc: Doc{Text: name + " returns the node of a handle that may be nil."}, Name: name,
		Params: []Var{{Name: "o", Type: "*" + o.Go}}, Results: one("*object.Node"),
		Steps: []Step{If{as(IsNil, "o"), []Step{ret(null)}}, ret(as(Address, "o.node"))}}}
}

// ending plans a method that ends a handle by another one.
func ending(o *model.Object, v *model.Verb, name, does, by string) *Method {
	m := on(o, name, "", errOnly, nilHandle(text(v.C), o), ret(result("o.node.Close", text(v.C), val("o."+by))))
	m.Doc = Doc{Does: does, C: v.C, Page: v.Page}
	return m
}

func (b *builder) closeHandle(o *model.Object) *Method {
	d := o.Destroy
	m := ending(o, d, "Close", fmt.Sprintf("%s. It waits for running calls; later ones fail with os.ErrClosed, and so does a second Close. It is refused (syscall.EBUSY) while something made from the %s is open, which the error names. When it fails, the %s stays open",
		strings.TrimSuffix(d.Doc, "."), o.Go, o.Go), "destroy")
	if b.below(o) && b.noticesGone() {
		m.Doc.Does += ". On a device that was taken away nothing is left to destroy, and it succeeds"
	}
	return m
}

// destroyCall calls a destroying verb on o. The kernel has destroyed all that was made on a device that was taken away.
func (b *builder) destroyCall(o *model.Object, d *model.Verb, gone bool) []Step {
	s := Call{Verb: d.C, By: raw(d, "o.lib", val("o.c")), Answer: answer(d), Failure: Failure{Verb: d.C, Gone: gone}}
	if b.below(o) && b.noticesGone() {
		s.Failure.Spare = "o.dev." + goneFunc
	}
	if s.Answer == Negative {
		s.Answer = NotZero
	}
	return append(b.missing(d, "o.lib"), s)
}

func closeAll(o *model.Object) *Method {
	m := on(o, "CloseAll", "", errOnly, nilHandle(text(o.Destroy.C), o), ret(of("object", "CloseTree", as(Address, "o.node"))))
	m.Doc = Doc{Does: "closes everything that was made from the " + o.Go + ", the latest first, and then the " + o.Go + " itself; it fits a defer. Errors are joined"}
	return m
}
