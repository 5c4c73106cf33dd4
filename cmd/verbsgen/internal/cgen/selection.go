package cgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// picker collects what one header declares.
type picker struct {
	*Types
	rel     *api.Release
	taken   map[string]bool // functions, macros, and enums and records by their tags
	seen    map[string]bool // tags of records that were mentioned
	mention []string        // the same, in the order of first mention
	records []*api.Record   // to be defined, each after those it holds by value
	errs    diag.List
}

// pick chooses the declarations of rel that opt asks for.
func pick(rel *api.Release, opt Options) (*picker, error) {
	p := &picker{Types: NewTypes(rel), rel: rel, taken: map[string]bool{}, seen: map[string]bool{}}
	have := map[string]bool{}
	for i := range rel.Functions {
		f := &rel.Functions[i]
		if have[f.Name] = true; opt.Only[f.Name] {
			p.function(f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Only)) {
		if !have[name] {
			p.fail(api.Pos{}, name, "wanted, but the facts have no such function")
		}
	}
	for _, name := range opt.Need {
		p.need(name)
	}
	return p, p.errs.Err()
}

func (p *picker) fail(pos api.Pos, subject, problem string) {
	p.errs.Add(unwritable(pos, subject, problem))
}

// unwritable is a fact that cannot be written as C.
func unwritable(pos api.Pos, subject, problem string) diag.Diag {
	return diag.At(diag.HeaderUnsupported, pos, subject, problem, "leave it out of the header, or declare it otherwise")
}

// function takes a function, and what its declaration or its dispatch stands on.
func (p *picker) function(f *api.Function) {
	if p.taken[f.Name] {
		return
	}
	p.taken[f.Name] = true
	p.text(f.Ret, f.Pos)
	for _, a := range f.Params {
		p.text(a.Type, f.Pos)
	}
	called, d := f.Redirect, f.Dispatch
	if d != nil {
		switch d.Way {
		case api.WayExport:
			called = d.Op
		case api.WayVerbs:
			p.object(f, d.Object)
			p.define("struct verbs_context", f.Pos)
		case api.WayObject, api.WayOps:
			p.object(f, d.Object)
		}
	}
	if i := slices.IndexFunc(p.rel.Functions, func(f api.Function) bool { return f.Name == called }); i >= 0 {
		p.function(&p.rel.Functions[i])
	}
}

// object defines the records that the C expression of a dispatch ("pd->context") walks through, the last one included.
func (p *picker) object(f *api.Function, expr string) {
	steps := strings.Split(expr, "->")
	var at string
	for _, a := range f.Params {
		if a.Name == steps[0] {
			at = names(a.Type)[0]
		}
	}
	for _, step := range steps[1:] {
		p.define(at, f.Pos)
		field := p.Types.records[at].Field(step)
		if field == nil {
			p.fail(f.Pos, f.Name, fmt.Sprintf("dispatch through %q: no such object in the facts", expr))
			return
		}
		at = names(field.Type)[0]
	}
	p.define(at, f.Pos)
}

// text takes the names that a type mentions.
func (p *picker) text(ctype string, pos api.Pos) {
	for i, name := range names(ctype) {
		e := p.enums[name]
		switch {
		case ofLibc(name):
		case e != nil:
			p.taken[e.Tag] = true
		case isAnonymous(name): // it is written where it is used
			if r := p.Types.records[name]; r != nil {
				p.fields(r)
			}
		case isTag(name) && i == 0 && holds(ctype):
			p.define(name, pos)
		case isTag(name):
			p.see(name)
		default:
			p.fail(pos, fmt.Sprintf("type %q", name), unknownType)
		}
	}
}

func (p *picker) see(tag string) {
	if !p.seen[tag] {
		p.seen[tag] = true
		p.mention = append(p.mention, tag)
	}
}

// define takes the whole record, and before it those that it holds by value.
func (p *picker) define(tag string, pos api.Pos) {
	p.see(tag)
	r := p.Types.records[tag]
	switch {
	case r == nil:
		p.fail(pos, tag, "needed by value, but the facts do not have it")
	case r.Tag != tag:
		p.define(r.Tag, pos) // an alias
	case !r.Incomplete && !p.taken[tag]:
		p.taken[tag] = true
		p.fields(r)
		p.records = append(p.records, r)
	}
}

func (p *picker) fields(r *api.Record) {
	for _, f := range r.Fields {
		if !isAnonymous(f.Type) { // the members of which follow
			p.text(f.Type, f.Pos)
		}
	}
}

// need takes a declaration by name: a tag ("struct ibv_mr", "enum ibv_mtu"), a macro, an enumerator, or a second name of one.
func (p *picker) need(name string) {
	for _, a := range p.rel.Aliases {
		if a.Name == name {
			name = a.Of
		}
	}
	e := p.enums[name]
	if e == nil {
		e = p.enumOf(name)
	}
	switch {
	case isTag(name):
		p.define(name, api.Pos{})
	case e != nil:
		p.taken[e.Tag] = true
	case slices.ContainsFunc(p.rel.Macros, func(m api.Macro) bool { return m.Name == name }):
		p.taken[name] = true
	default:
		p.fail(api.Pos{}, name, "needed, but the facts have no such struct, union, enum, enumerator or macro")
	}
}

// enumOf is the enum that has an enumerator, or nil.
func (p *picker) enumOf(enumerator string) *api.Enum {
	for i := range p.rel.Enums {
		if slices.ContainsFunc(p.rel.Enums[i].Enumerators, func(v api.Enumerator) bool { return v.Name == enumerator }) {
			return &p.rel.Enums[i]
		}
	}
	return nil
}

// forward are the tags of all records that the header mentions, in the order of the header.
func (p *picker) forward() (tags []string) {
	for _, r := range p.rel.Records {
		if p.seen[r.Tag] && !isAnonymous(r.Tag) {
			tags = append(tags, r.Tag)
		}
	}
	for _, tag := range p.mention {
		if p.Types.records[tag] == nil {
			tags = append(tags, tag)
		}
	}
	return tags
}

// aliases are the second names of what is declared.
func (p *picker) aliases() []api.Alias {
	return slices.DeleteFunc(slices.Clone(p.rel.Aliases), func(a api.Alias) bool {
		tag, e := a.Kind+" "+a.Of, p.enumOf(a.Of)
		return !(p.taken[tag] || p.seen[tag] || e != nil && p.taken[e.Tag] || p.taken[a.Of] && a.Kind != "function")
	})
}
