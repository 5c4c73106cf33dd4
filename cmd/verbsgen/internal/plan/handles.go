package plan

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// Handle is the type of the handles of an object, with the methods that every handle has: what they do is in runtime/gensupport/object,
// and emit prints the few lines that the type adds.
type Handle struct {
	Object *model.Object
	Recv   string          // name of receivers
	Owner  string          // type that new handles are made from: the root object, or Lib
	Fields []Var           // beside those of every handle
	Opened []string        // fields that learn the C object
	Guard  string          // field that waits for calls which do not enter the handle; empty: all of them do
	Index  string          // field of the owner in which events find the handle; empty: none names it
	Stops  string          // field that waits for events until the C object ends; empty: none arrive on it
	Wakes  bool            // what waits looks again when the object fails
	Region bool            // elements of work requests are pieces of it
	Reload bool            // a verb changes the object in place: its fields are read again, under the mutex mu
	Root   bool            // all others are made from it
	Parent bool            // something is made from it
	Gone   bool            // its end succeeds where the device was taken away
	Owners []*model.Object // parents that it returns
	Marks  []string        // fields of properties that calls set: other C code may do so, too
	End    string          // method that ends the C object, unless what made it says otherwise
	Ends   []*Method       // all such methods
}

// Closer is a method that closes a handle by a verb which the program chooses, whatever made the object.
type Closer struct {
	Doc                      Doc
	Object, Name, Verb, Recv string
	End                      string // method that ends the C object
	Lives                    bool   // the object lives on: what it was made of is kept for good
}

// handle plans the type of an object with what every handle has.
func (b *builder) handle(o *model.Object) []Decl {
	h := Handle{Object: o, Recv: b.self(o), Owner: "Lib", Fields: b.ownFields(o), Root: o.Go == b.root(),
		Region: o.Region != nil, Reload: b.changes(o), Parent: b.isParent(o), Owners: b.owners(o),
		Gone: b.below(o) && b.noticesGone(), End: naming.Unexported(o.Destroy.Go), Ends: b.ends(o)}
	if b.below(o) {
		h.Owner = b.root()
	}
	for _, prop := range markedProps(o) {
		h.Marks = append(h.Marks, naming.Local(prop))
	}
	switch {
	case o.Hot:
		h.Guard, h.Opened = "gate", []string{"gate"}
	case b.named(o):
		h.Guard, h.Opened = "named", []string{"named"}
	case o.Host, o.Device:
		h.Guard = "mem"
	}
	if b.indexed(o) {
		h.Index = "handles"
	}
	if b.listens(o) {
		h.Stops, h.Wakes = "waiting", !strings.HasPrefix(b.waiter(o), "*")
	}
	if o.Go == b.root() && b.needsCaps() && !b.has(o.Go, capsFunc) || o.Region != nil && !b.has(o.Go, "place") ||
		h.Guard == "mem" && !slices.ContainsFunc(h.Fields, func(f Var) bool { return f.Name == h.Guard }) {
		b.errorf("struct "+o.C, "no file of templates has the methods of its capabilities, its region or its memory")
	}
	return append([]Decl{h}, b.getters(o)...)
}

// root returns the Go name of the object that everything else is made from, or an empty string.
func (b *builder) root() string {
	if b.pkg.Root == nil {
		return ""
	}
	return b.pkg.Root.Go
}

// below reports whether an object is made from the root.
func (b *builder) below(o *model.Object) bool { return b.root() != "" && o.Go != b.root() }

// changes reports whether a verb changes the object in place: then its getters may run beside it.
func (b *builder) changes(o *model.Object) bool {
	return slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool {
		return (moved(v) != nil || v.Updates) && slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv == o.Go })
	})
}

// owners are the parents of an object below the root: the handle keeps them.
func (b *builder) owners(o *model.Object) []*model.Object {
	return slices.DeleteFunc(slices.Clone(o.Parents), func(p *model.Object) bool { return p.Go == b.root() })
}

// isParent reports whether something is made from the object.
func (b *builder) isParent(o *model.Object) bool {
	return slices.ContainsFunc(b.pkg.Objects, func(x *model.Object) bool { return slices.Contains(x.Parents, o) })
}

// self is the name that receivers have in the methods of an object: as the parameter of the C functions is called that they are made of.
func (b *builder) self(o *model.Object) string {
	for _, v := range b.pkg.Verbs {
		for _, m := range v.Methods {
			for _, p := range v.Params {
				if p.Object == o && m.Recv == o.Go {
					return p.Go
				}
			}
		}
	}
	return naming.Param(naming.Unexported(o.Go))
}

// on is a helper method of a handle.
func (b *builder) on(o *model.Object, name, text string, results []Var, steps ...Step) *Method {
	return &Method{Doc: Doc{Text: text}, Recv: Var{Name: b.self(o), Type: "*" + o.Go}, Name: name, Results: results, Steps: steps}
}

// errOnly is the result of a method that returns an error alone.
var errOnly = []Var{{Type: "error"}}

// one is a single result.
func one(typ string) []Var { return []Var{{Type: typ}} }

// ret returns values.
func ret(values ...Value) Return { return Return{values} }

// ownFields are those that an object has beside those of every handle.
func (b *builder) ownFields(o *model.Object) (fields []Var) {
	if o.Hot {
		fields = append(fields, Var{Name: "gate", Type: b.gateType(o), Remark: "the C object for the data path, which does not enter the handle"})
	}
	fields = append(fields, b.extraFields(o)...)
	for _, p := range b.owners(o) {
		fields = append(fields, Var{Name: naming.Unexported(p.Name()), Type: p.Type()})
	}
	for _, x := range o.Getters {
		fields = append(fields, Var{Name: naming.Local(x.C), Type: x.GoType})
	}
	for _, prop := range markedProps(o) {
		fields = append(fields, Var{Name: naming.Local(prop), Type: "validate.Mark"})
	}
	return fields
}

// gateType is the type of what lets the data path use an object: requests keep the addresses of some.
func (b *builder) gateType(o *model.Object) string {
	for _, f := range b.written {
		if t := f.Gates[o.Go]; t != "" {
			return t
		}
	}
	return "gate.Gate"
}

// extraFields are the fields that single families of methods need.
func (b *builder) extraFields(o *model.Object) (out []Var) {
	add := func(name, typ, remark string) { out = append(out, Var{Name: name, Type: typ, Remark: remark}) }
	if o.Made != nil {
		add("made", "*"+o.Made.Mirror.Name, "as the device made it, or nil")
	}
	if b.named(o) {
		add("named", "dpath.Named", "the C object for requests that name it")
	}
	if o.Go == b.root() && slices.ContainsFunc(b.pkg.Objects, b.indexed) {
		add("handles", "object.Index", "that events name, by the address of the C object")
	}
	if b.listens(o) {
		typ := b.waiter(o)
		if strings.HasPrefix(typ, "*") { // one waits at a time
			typ = "events.Listener[" + typ + "]"
		}
		add("waiting", typ, "for events")
	}
	if b.isAsked(o) {
		add("asked", "lazy.Asked", "what it was asked for when it was made")
	}
	for _, x := range b.writtenFields(o) {
		add(x.Name, x.Type, x.Remark)
	}
	if b.changes(o) {
		add("mu", "sync.Mutex", "guards what a change in place changes")
	}
	return out
}

// getters plans what says more of a handle than every handle does.
func (b *builder) getters(o *model.Object) (out []Decl) {
	for _, x := range o.Getters {
		if x.Changes {
			out = append(out, b.changing(o, x)...)
		}
	}
	out = append(append(out, b.addresses(o)...), b.lends(o)...)
	return out
}

// destroyCall calls a destroying verb on o. The kernel has destroyed all that was made on a device that was taken away.
func (b *builder) destroyCall(o *model.Object, d *model.Verb, gone bool) []Step {
	self := b.self(o)
	s := Call{Verb: d.C, By: raw(d, self+".lib", val(self+".h.C")), Answer: answer(d),
		Failure: Failure{Verb: d.C, Gone: gone, Causes: d.Causes}}
	if b.below(o) && b.noticesGone() {
		s.Failure.Spare = self + ".dev." + goneFunc
	}
	if s.Answer == Negative {
		s.Answer = NotZero
	}
	return append(b.missing(d, self+".lib"), s)
}
