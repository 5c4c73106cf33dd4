package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// verb is the draft of a function.
type verb struct {
	f        api.Function
	returns  string
	result   string
	creates  *object
	endedBy  string
	receiver *object
	params   []param
	fills    bool // it stores something behind a pointer
	counts   []string
	problem  string
}

// param is a parameter with its role and further keys.
type param struct {
	name, role, keys string
	object           *object
}

// function drafts one function, or skips it with the reason.
func (d *drafter) function(f api.Function) {
	v := &verb{f: f, problem: d.Dropped[f.Name]}
	p := d.pageOf(f)
	if v.problem == "" {
		d.verb(v)
	}
	if v.problem != "" {
		d.skip(p, f.Name, v.problem)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s:\n  returns: %s # guess\n", f.Name, v.returns)
	if v.creates != nil {
		fmt.Fprintf(&b, "  creates: %s # guess\n", v.creates.goName)
	}
	if v.endedBy != "" {
		fmt.Fprintf(&b, "  ended_by: %s # guess\n", v.endedBy)
	}
	if v.result != "" {
		fmt.Fprintf(&b, "  result: %s\n", v.result)
	}
	fmt.Fprintf(&b, "  doc: calls %s\n  params:", f.Name)
	if len(v.params) == 0 {
		b.WriteString(" {}")
	}
	b.WriteString("\n")
	for _, p := range v.params {
		fmt.Fprintf(&b, "    %s: {role: %s%s} # guess\n", p.name, p.role, p.keys)
	}
	if d.ended(f) {
		b.WriteString("  methods: {}\n")
	} else {
		form := "{}"
		if d.ends(f) && v.receiver != nil {
			form = "{form: end} # guess"
		}
		fmt.Fprintf(&b, "  methods:\n    %s: %s\n", d.method(v), form)
	}
	p.add("verbs", f.Name, "%s", b.String())
	delete(d.open, f.Name)
	d.res.Bound = append(d.res.Bound, f.Name)
}

// verb finds what a function returns and takes.
func (d *drafter) verb(v *verb) {
	if v.problem = bind.ScopeOf(d.facts, &v.f); v.problem != "" {
		return
	}
	if v.f.Helper {
		v.problem = "a helper of the header"
		return
	}
	if v.f.Private {
		v.problem = "the library exports it at a private version, which changes with every release"
		return
	}
	for _, p := range v.f.Params {
		if d.mayCount(v.f, p) {
			v.counts = append(v.counts, p.Name)
		}
	}
	for i, p := range v.f.Params {
		if i > 0 && v.params[i-1].role == "sockaddr" && p.Type == "socklen_t" {
			v.params[i-1].keys = ", len: " + p.Name
			v.params = append(v.params, param{name: p.Name, role: "len"})
			continue
		}
		if d.param(v, p); v.problem != "" {
			return
		}
	}
	if d.result(v); v.problem != "" {
		return
	}
	d.ending(v)
	d.parents(v)
}

// ending refuses a function that ends what it is given, but for one handle alone: any other would stay open in Go, or would be no memory of
// the library.
func (d *drafter) ending(v *verb) {
	pointer := slices.ContainsFunc(v.f.Params, func(p api.Param) bool { return strings.HasSuffix(p.Type, "*") })
	if d.ends(v.f) && (pointer || v.receiver != nil) && (v.receiver == nil || len(v.f.Params) > 1 || v.creates != nil) &&
		!d.ended(v.f) {
		v.problem = "what it ends is not known; if that is a handle, name it under destroy:, ended_by: or form: end"
	}
}

// parents puts a new object below the handles that it was made with.
func (d *drafter) parents(v *verb) {
	o := v.creates
	if o == nil {
		return
	}
	from := v.receiver
	for i, p := range v.params {
		if p.object == nil {
			continue
		}
		from = cmp.Or(from, p.object)
		if p.object != from || from.foreign || o.foreign {
			v.params[i].keys += ", parent: true"
		}
	}
	if o.isNew && o.parent == nil && from != nil && !from.above(o) {
		o.parent = from
	}
}

// above reports whether an object is below another one.
func (o *object) above(other *object) bool {
	return o == other || o.parent != nil && o.parent.above(other)
}

// mayCount reports whether a number may say how many of something a pointer beside it leads to: nobody but the man page says that it does
// not, unless its name does.
func (d *drafter) mayCount(f api.Function, p api.Param) bool {
	t := d.facts.TypeOf(p.Type)
	if t.Kind != spec.CInt || t.Pointer || t.Tag != "" || p.Type == "_Bool" || d.like(f.Name, p.Name) != "" ||
		d.objects[p.Type+" "+p.Name] != nil {
		return false
	}
	words := strings.Split(snake(p.Name), "_")
	return has(words[:1], counting) || !has(words, plain)
}

// param finds the role of a parameter.
func (d *drafter) param(v *verb, p api.Param) {
	t := d.facts.TypeOf(p.Type)
	as := func(role, format string, args ...any) {
		v.fills = v.fills || strings.HasPrefix(role, "out") || role == "made"
		v.params = append(v.params, param{name: p.Name, role: role, keys: fmt.Sprintf(format, args...)})
	}
	o, one := cmp.Or(d.objects[t.Tag], d.objects[p.Type+" "+p.Name]), t.Pointer && t.Depth() == 1
	number := d.facts.TypeOf(strings.TrimSuffix(strings.TrimPrefix(p.Type, "const "), " *"))
	switch {
	case one && o != nil && o.isNew && len(v.params) > 0 && !d.ends(v.f) && has(d.split(v.f.Name), asks) && !t.Const() &&
		t.Record() != nil && !t.Record().Incomplete:
		v.problem = "whether it fills a struct " + t.Tag + " or takes one of the library is not known; write out_record, or handle"
	case one && o != nil, t.Kind == spec.CInt && o != nil:
		if v.receiver == nil && !o.foreign {
			v.receiver = o
		}
		as("handle", ", type: %s", o.goName)
		v.params[len(v.params)-1].object = o
	case t.Pointer && t.Depth() == 2 && o != nil && v.creates == nil && has(d.split(v.f.Name), makes):
		v.creates = o
		as("made", "")
	case one && t.Tag == "sockaddr" && t.Const():
		as("sockaddr", "")
	case t.Tag == "sockaddr":
		v.problem = "how long an address " + p.Name + " has room for is not known (" + p.Type + "); write sockaddr if the call only reads it"
	case !t.Pointer && !t.Array && t.Kind == spec.CInt:
		e := d.enum(d.pageOf(v.f), cmp.Or(t.Tag, d.like(v.f.Name, p.Name)))
		switch {
		case e == "":
			as("in", "")
		case d.flags[e]:
			as("flags", ", type: %s", e)
		default:
			as("enum", ", type: %s", e)
		}
	case one && t.Record() != nil && t.Record().Incomplete && d.records[t.Tag] == nil:
		v.problem = "no functions that make and end a struct " + t.Tag + " are known; describe it under objects:"
	case one && (t.Tag != "" || number.Kind == spec.CInt || p.Type == "const char *") && (len(v.counts) > 0 || p.Array):
		v.problem = "how many " + p.Name + " points to is not known (" + p.Type + "); write a role with len:, such as data, filled or slice, " +
			"or the role of a single one"
		if t.Tag != "" && !t.Const() {
			v.problem += "; " + bind.ReadsAndChanges
		}
	case one && strings.HasSuffix(p.Type, "void *"):
		v.problem = "what " + p.Name + " points to is not known (" + p.Type + "); write data, filled or addr, with len:"
	case one && (t.Record() != nil && !t.Record().Incomplete || d.records[t.Tag] != nil):
		role, to := "in_record", "in"
		if !t.Const() && has(d.split(v.f.Name), asks) {
			role, to = "out_record", "out"
		}
		if r := d.record(d.pageOf(v.f), t.Tag, to); r != nil {
			as(role, ", type: %s", r.goName)
			return
		}
		v.problem = d.unrecorded(t.Tag)
	case p.Type == "const char *":
		as("text", "")
	case one && !t.Const() && number.Kind == spec.CInt && (number.Bits > 8 || p.Type == "_Bool *"):
		as("out", "")
	default:
		v.problem = "no role is known for " + p.Name + " (" + p.Type + ")"
	}
}

// unrecorded says why a struct is no record here.
func (d *drafter) unrecorded(tag string) string {
	if f := d.owned[tag]; f != "" {
		return f + " makes or ends a struct " + tag + ", which one in Go would not be; describe it under objects:"
	}
	r := d.facts.Record("struct " + tag)
	if r != nil && open(r) {
		return "struct " + tag + " ends in an array without a length; write role: counted or bytes"
	}
	if r != nil && slices.ContainsFunc(r.Fields, func(f api.Field) bool { return strings.HasSuffix(f.Name, ".in") }) {
		return "struct " + tag + " pairs objects with structs that the call fills; write role: pair, and a method for each pair"
	}
	return "struct " + tag + " is used in two ways, or has no field for Go"
}

// result finds what a function returns.
func (d *drafter) result(v *verb) {
	t := d.facts.TypeOf(v.f.Ret)
	o := d.objects[t.Tag]
	man := d.Man.Returns(v.f.Name)
	switch {
	case v.f.Ret == "void":
		v.returns = spec.RetVoid
	case t.Pointer && t.Depth() == 1 && t.Tag != "" && (o == nil || !has(d.split(v.f.Name), makes)):
		v.problem = "whether the " + v.f.Ret + " is a new one, and what ends it, is not known; if it is, write creates:"
	case t.Pointer && t.Depth() == 1 && o != nil && o.foreign && d.owned[o.tag+" end"] != "" && d.endOf(v.f, o) == "":
		v.problem = "which function ends the " + v.f.Ret + " is not known; write creates: " + o.goName + ", with ended_by:"
	case t.Pointer && t.Depth() == 1 && o != nil && v.creates == nil:
		v.returns, v.creates = spec.RetNullErrno, o
		if o.foreign {
			v.endedBy = d.endOf(v.f, o)
		}
	case v.f.Ret == "const char *":
		v.returns = spec.RetValue
	case t.Pointer || t.Array:
		v.problem = "no form is known for a result of type " + v.f.Ret
	case t.Tag != "":
		v.returns, v.result = spec.RetValue, d.enum(d.pageOf(v.f), t.Tag)
	case v.f.Ret != "int" && t.Kind == spec.CInt:
		v.returns = spec.RetValue
	case t.Kind != spec.CInt:
		v.problem = "no form is known for a result of type " + v.f.Ret
	case man == "" && (strings.HasSuffix(v.f.Name, "_fd") || d.numbers(v.f)):
		v.returns = spec.RetNumber
	case man == "" && len(d.opens) > 0 && has(d.split(v.f.Name), makes) && d.bare(v.f.Name) != "init": // of the library
		v.problem = "whether the int is a new handle, and what ends it, is not known; if it is, write creates:"
	case man != "":
		v.returns = man
	case d.answers(v.f) && !v.fills:
		v.returns = spec.RetValue
	default: // whatever is not 0 is an error
		v.returns = spec.RetEither
	}
	if v.returns == spec.RetNumber || v.returns == spec.RetNegated {
		v.creates = cmp.Or(v.creates, d.opens[v.f.Name])
	}
}

// numbers reports whether other functions take a number by the name of a function, as of a socket.
func (d *drafter) numbers(f api.Function) bool {
	return slices.ContainsFunc(d.Release.Functions, func(g api.Function) bool {
		return slices.ContainsFunc(g.Params, func(p api.Param) bool { return p.Type == "int" && d.calledLike(f, p.Name) })
	})
}

// calledLike reports whether a function without pointers is called like a number.
func (d *drafter) calledLike(f api.Function, name string) bool {
	return len(name) > 1 && strings.HasSuffix(f.Name, name) &&
		!slices.ContainsFunc(f.Params, func(p api.Param) bool { return d.facts.TypeOf(p.Type).Pointer })
}

// answers reports whether the name of a function asks a question.
func (d *drafter) answers(f api.Function) bool {
	words := d.split(f.Name)
	return has(words, answers) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "is") })
}

// method is the Go name of the method: without the words that the receiver's name has already.
func (d *drafter) method(v *verb) string {
	name := d.bare(v.f.Name)
	if v.receiver == nil {
		return "Lib." + model.Exported(name)
	}
	if v.creates == nil {
		own := "_" + d.bare(v.receiver.tag) + "_"
		if short := strings.Trim(strings.Replace("_"+name+"_", own, "_", 1), "_"); short != "" {
			name = short
		}
	}
	return v.receiver.goName + "." + model.Exported(name)
}

// objectParts drafts the new objects.
func (d *drafter) objectParts() {
	for _, r := range d.Release.Records {
		tag := strings.TrimPrefix(r.Tag, "struct ")
		o := d.objects[tag]
		if o == nil || !o.isNew {
			continue
		}
		f := d.facts.Func(d.maker(o))
		parents := ""
		if o.parent != nil {
			parents = o.parent.goName
		}
		d.pageOf(*f).add("objects", r.Tag, "%s:\n  c: %s\n  parents: [%s] # guess\n  destroy: %s # guess\n  doc: A struct %s.\n",
			o.goName, tag, parents, o.end, tag)
		delete(d.open, r.Tag)
		d.res.Objects = append(d.res.Objects, tag)
	}
}
