package scaffold

import (
	"fmt"
	"slices"
	"strings"

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
	receiver *object
	params   []string // lines
	fills    bool     // it stores something behind a pointer
	problem  string
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
	if v.result != "" {
		fmt.Fprintf(&b, "  result: %s\n", v.result)
	}
	fmt.Fprintf(&b, "  doc: calls %s\n  params:", f.Name)
	if len(v.params) == 0 {
		b.WriteString(" {}")
	}
	b.WriteString("\n")
	for _, line := range v.params {
		b.WriteString("    " + line + "\n")
	}
	if v.receiver != nil && v.receiver.end == f.Name {
		b.WriteString("  methods: {}\n")
	} else {
		form := "{}"
		if v.receiver != nil && v.receiver.isNew && len(f.Params) == 1 && has(d.split(f.Name), ends) {
			form = "{form: end} # guess"
		}
		fmt.Fprintf(&b, "  methods:\n    %s: %s\n", d.method(v), form)
	}
	p.add("verbs", f.Name, "%s", b.String())
	d.named[f.Name] = true
	delete(d.open, f.Name)
	d.res.Bound++
}

// verb finds what a function returns and takes.
func (d *drafter) verb(v *verb) {
	if v.f.Helper {
		v.problem = "a helper of the header"
		return
	}
	if v.f.Kind != api.Exported && v.f.Dispatch == nil || v.f.Variadic || v.f.Private {
		v.problem = "it is not a plain function of the library"
		return
	}
	for _, p := range v.f.Params {
		d.param(v, p)
	}
	d.result(v)
	if v.creates != nil && v.receiver != nil && v.creates.isNew && v.creates.parent == "" && v.receiver != v.creates {
		v.creates.parent = v.receiver.goName
	}
}

// param finds the role of a parameter.
func (d *drafter) param(v *verb, p api.Param) {
	t := d.facts.TypeOf(p.Type)
	line := func(role, format string, args ...any) {
		v.fills = v.fills || strings.HasPrefix(role, "out") || role == "made"
		v.params = append(v.params, fmt.Sprintf("%s: {role: %s%s} # guess", p.Name, role, fmt.Sprintf(format, args...)))
	}
	o := d.objects[t.Tag]
	switch {
	case t.Pointer && t.Depth() == 1 && o != nil:
		if v.receiver == nil {
			v.receiver = o
		}
		line("handle", ", type: %s", o.goName)
	case t.Pointer && t.Depth() == 2 && o != nil && v.creates == nil:
		v.creates = o
		line("made", "")
	case t.Pointer && t.Depth() == 1 && t.Record() != nil && !t.Record().Incomplete:
		role, as := "in_record", "in"
		if !t.Const() && has(d.split(v.f.Name), asks) {
			role, as = "out_record", "out"
		}
		r := d.record(d.pageOf(v.f), t.Tag, as)
		if r == nil {
			v.problem = "struct " + t.Tag + " is used in two ways, or has no form"
			return
		}
		line(role, ", type: %s", r.goName)
	case !t.Pointer && !t.Array && t.Tag != "":
		e := d.enum(d.pageOf(v.f), t.Tag)
		role := "enum"
		if d.flags[e] {
			role = "flags"
		}
		line(role, ", type: %s", e)
	case !t.Pointer && !t.Array && t.Kind == spec.CInt && d.like(v.f.Name, p.Name) != "":
		e := d.enum(d.pageOf(v.f), d.like(v.f.Name, p.Name))
		role := "enum"
		if d.flags[e] {
			role = "flags"
		}
		line(role, ", type: %s", e)
	case !t.Pointer && !t.Array && t.Kind == spec.CInt:
		line("in", "")
	case t.Pointer && t.Depth() == 1 && !t.Const() && d.facts.TypeOf(strings.TrimSuffix(p.Type, " *")).Kind == spec.CInt && p.Type != "char *":
		line("out", "")
	default:
		v.problem = "no role is known for " + p.Name + " of type " + p.Type
	}
}

// result finds what a function returns.
func (d *drafter) result(v *verb) {
	t := d.facts.TypeOf(v.f.Ret)
	o := d.objects[t.Tag]
	man := d.Man.Returns(v.f.Name)
	switch {
	case v.problem != "":
	case v.f.Ret == "void":
		v.returns = spec.RetVoid
	case t.Pointer && t.Depth() == 1 && o != nil && o == v.receiver:
		v.problem = "it returns an object of the type that it takes: whether a new one is not known"
	case t.Pointer && t.Depth() == 1 && o != nil && v.creates == nil:
		v.returns, v.creates = spec.RetNullErrno, o
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
	case strings.HasSuffix(v.f.Name, "_fd"):
		v.returns = spec.RetNumber
	case man != "":
		v.returns = man
	case d.answers(v.f) && !v.fills && d.usual() != spec.RetErrno:
		v.returns = spec.RetValue
	default:
		v.returns = d.usual()
	}
}

// answers reports whether the name of a function asks a question.
func (d *drafter) answers(f api.Function) bool {
	words := d.split(f.Name)
	return has(words, answers) || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "is") })
}

// usual is how functions of the module with the result int most often return failure.
func (d *drafter) usual() string {
	n := map[string]int{}
	for _, p := range d.Spec.Pages {
		for _, v := range p.Verbs {
			if f := d.facts.Func(v.C); f != nil && f.Ret == "int" {
				n[v.Returns]++
			}
		}
	}
	best := spec.RetMinus1
	for name, count := range n {
		if count > n[best] || count == n[best] && name < best {
			best = name
		}
	}
	return best
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
		if o.parent != "" {
			parents = o.parent
		}
		d.pageOf(*f).add("objects", r.Tag, "%s:\n  c: %s\n  parents: [%s] # guess\n  destroy: %s # guess\n  doc: A struct %s.\n",
			o.goName, tag, parents, o.end, tag)
		delete(d.open, r.Tag)
		d.res.Objects = append(d.res.Objects, tag)
	}
}
