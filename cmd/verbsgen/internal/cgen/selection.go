package cgen

import (
	"errors"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// selection is what one header declares.
type selection struct {
	*types
	rel       *api.Release
	whole     bool
	functions []*api.Function // exported, header order
	enums     []*api.Enum
	records   []*api.Record // complete ones, each after those it holds by value
	forward   []string      // tags, header order first
	macros    []*api.Macro
	aliases   []*api.Alias
}

// picker collects the names that a selection needs.
type picker struct {
	*types
	rel     *api.Release
	funcs   map[string]bool
	enums   map[string]bool
	defined map[string]bool // records to be defined
	named   map[string]bool // macros by name
	seen    map[string]bool // tags that were mentioned
	mention []string        // the same, in the order of first mention
	order   []*api.Record
	errs    []error
}

// pick chooses the declarations of rel that opt asks for.
func pick(rel *api.Release, opt Options) (*selection, error) {
	p := &picker{types: newTypes(rel), rel: rel, funcs: map[string]bool{}, enums: map[string]bool{},
		defined: map[string]bool{}, named: map[string]bool{}, seen: map[string]bool{}}
	whole := opt.Only == nil
	if whole {
		p.everything()
	} else {
		for name := range opt.Only {
			p.funcs[name] = true
		}
		for i := range rel.Functions {
			if opt.Only[rel.Functions[i].Name] {
				p.function(&rel.Functions[i])
			}
		}
	}
	for _, name := range opt.Need {
		p.need(name)
	}
	p.unknown()
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.result(whole), nil
}

func (p *picker) fail(pos api.Pos, format string, args ...any) {
	p.errs = append(p.errs, errorAt(pos, format, args...))
}

func (p *picker) everything() {
	for i := range p.rel.Functions {
		f := &p.rel.Functions[i]
		p.funcs[f.Name] = true
		p.function(f)
	}
	for i := range p.rel.Enums {
		p.enums[p.rel.Enums[i].Tag] = true
	}
	for i := range p.rel.Records {
		if r := &p.rel.Records[i]; !isAnonymous(r.Tag) {
			p.define(r.Tag, r.Pos)
		}
	}
	for _, m := range p.rel.Macros {
		p.named[m.Name] = true
	}
}

// function takes what a declaration or a dispatch of f stands on.
func (p *picker) function(f *api.Function) {
	p.text(f.Ret, f.Pos)
	for _, a := range f.Params {
		p.text(a.Type, f.Pos)
	}
	if f.Redirect != "" {
		p.byName(f.Redirect)
	}
	d := f.Dispatch
	if d == nil {
		return
	}
	switch d.Way {
	case api.WayExport:
		p.byName(d.Op)
	case api.WayVerbs:
		p.object(f, d.Object)
		p.define("struct verbs_context", f.Pos)
	case api.WayObject, api.WayOps:
		p.object(f, d.Object)
	}
}

func (p *picker) byName(name string) {
	for i := range p.rel.Functions {
		if f := &p.rel.Functions[i]; f.Name == name && !p.funcs[name] {
			p.funcs[name] = true
			p.function(f)
		}
	}
}

// object defines the records that the C expression of a dispatch ("pd->context") walks through, the last one included.
func (p *picker) object(f *api.Function, expr string) {
	steps := strings.Split(expr, "->")
	var at string
	for _, a := range f.Params {
		if a.Name == steps[0] {
			at = pointee(a.Type)
		}
	}
	for _, step := range steps[1:] {
		p.define(at, f.Pos)
		at = p.member(at, step)
	}
	if at == "" {
		p.fail(f.Pos, "%s: dispatch through %q: no such object in the facts", f.Name, expr)
		return
	}
	p.define(at, f.Pos)
}

// member is the record that a pointer member of the record tag points to.
func (p *picker) member(tag, name string) string {
	r := p.types.records[tag]
	if r == nil {
		return ""
	}
	for _, f := range r.Fields {
		if f.Name == name {
			return pointee(f.Type)
		}
	}
	return ""
}

// pointee is the record that the type text points to, empty for others.
func pointee(text string) string {
	t, err := parseType(text)
	if err != nil || t.form != formPtr || t.elem.form != formBase || !isTag(t.elem.name) {
		return ""
	}
	return t.elem.name
}

// text takes the names that the text of a type mentions.
func (p *picker) text(ctype string, pos api.Pos) {
	t, err := parseType(ctype)
	if err != nil {
		p.fail(pos, "%v", err)
		return
	}
	t.names(true, func(base string, byValue bool) { p.base(base, byValue, pos) })
}

func (p *picker) base(base string, byValue bool, pos api.Pos) {
	_, known := scalars[base]
	switch {
	case known:
	case strings.HasPrefix(base, "enum "):
		if p.types.enums[base] == nil {
			p.fail(pos, "%s: no such enum in the facts", base)
			return
		}
		p.enums[p.types.enums[base].Tag] = true
	case isAnonymous(base):
		p.tagless(base)
	case isTag(base) && byValue:
		p.define(base, pos)
	case isTag(base):
		p.see(base)
	default:
		p.fail(pos, "type %q: neither the facts nor libc have it", base)
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
	r := p.types.records[tag]
	if r != nil && r.Tag != tag {
		p.define(r.Tag, pos) // an alias
		return
	}
	if r != nil && r.Incomplete || r == nil && p.defined[tag] {
		return
	}
	if r == nil {
		p.fail(pos, "%s: needed by value, but the facts do not have it", tag)
		return
	}
	if p.defined[tag] {
		return
	}
	p.defined[tag] = true
	p.fields(r)
	p.order = append(p.order, r)
}

func (p *picker) fields(r *api.Record) {
	for _, f := range r.Fields {
		if isAnonymous(f.Type) {
			continue // its members follow
		}
		p.text(f.Type, f.Pos)
	}
}

// tagless takes what a record without a tag needs, which is written where it is used.
func (p *picker) tagless(tag string) {
	if r := p.types.records[tag]; r != nil && !p.defined[tag] {
		p.defined[tag] = true
		p.fields(r)
	}
}

// need takes a declaration by name: a tag ("struct ibv_mr", "enum ibv_mtu"), a macro, an enumerator, or a second name of one.
func (p *picker) need(name string) {
	for _, a := range p.rel.Aliases {
		if a.Name == name {
			name = a.Of
		}
	}
	if isTag(name) {
		p.define(name, api.Pos{})
		return
	}
	if e := p.types.enums[name]; e != nil {
		p.enums[e.Tag] = true
		return
	}
	if tag := p.enumOf(name); tag != "" {
		p.enums[tag] = true
		return
	}
	for _, m := range p.rel.Macros {
		if m.Name == name {
			p.named[name] = true
			return
		}
	}
	p.fail(api.Pos{}, "%s: needed, but the facts have no such struct, union, enum, enumerator or macro", name)
}

// enumOf is the tag of the enum that has the enumerator.
func (p *picker) enumOf(enumerator string) string {
	for _, e := range p.rel.Enums {
		for _, v := range e.Enumerators {
			if v.Name == enumerator {
				return e.Tag
			}
		}
	}
	return ""
}

// unknown reports wanted functions that the facts lack.
func (p *picker) unknown() {
	have := map[string]bool{}
	for _, f := range p.rel.Functions {
		have[f.Name] = true
	}
	for _, name := range sortedKeys(p.funcs) {
		if !have[name] {
			p.fail(api.Pos{}, "%s: wanted, but the facts have no such function", name)
		}
	}
}

// result puts what was collected into header order; records stay in the order of their dependencies.
func (p *picker) result(whole bool) *selection {
	s := &selection{types: p.types, rel: p.rel, whole: whole, records: p.order}
	for i := range p.rel.Functions {
		f := &p.rel.Functions[i]
		if p.funcs[f.Name] && (f.Kind == api.Exported || f.Kind == api.Redirect) {
			s.functions = append(s.functions, f)
		}
	}
	for i := range p.rel.Enums {
		if e := &p.rel.Enums[i]; p.enums[e.Tag] {
			s.enums = append(s.enums, e)
		}
	}
	for i := range p.rel.Macros {
		if m := &p.rel.Macros[i]; p.named[m.Name] {
			s.macros = append(s.macros, m)
		}
	}
	inHeader := map[string]bool{}
	for _, r := range p.rel.Records {
		if p.seen[r.Tag] && !isAnonymous(r.Tag) {
			s.forward = append(s.forward, r.Tag)
			inHeader[r.Tag] = true
		}
	}
	for _, tag := range p.mention {
		if !inHeader[tag] && p.types.records[tag] == nil {
			s.forward = append(s.forward, tag)
		}
	}
	s.aliases = p.usedAliases(whole)
	return s
}

// usedAliases are those whose target is declared.
func (p *picker) usedAliases(whole bool) []*api.Alias {
	var list []*api.Alias
	for i := range p.rel.Aliases {
		a := &p.rel.Aliases[i]
		tag := a.Kind + " " + a.Of
		used := p.enums[tag] || p.seen[tag] || p.enums[p.enumOf(a.Of)] || p.named[a.Of]
		if used || whole && a.Kind != "function" {
			list = append(list, a)
		}
	}
	return list
}
