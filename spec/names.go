package spec

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// CheckNames finds every C name and every path of the spec that none of the releases knows. A name is fine when
// any of them has it: what is newer than the header at hand is left out by its since. The error is Errors.
func (s *Spec) CheckNames(rels ...*api.Release) error {
	c := &checker{Spec: s, f: s.Module.NewFacts(rels...)}
	if m := s.Module; m.given {
		c.function(m.marks.at("probe", m.Probe, m.Pos), "module "+m.Name, m.Probe)
		if m.Root != "" && s.ObjectByGo(m.Root) == nil {
			c.add(m.marks.at("root", m.Root, m.Pos), CodeUnknownName, "module "+m.Name, "root: no page has an object "+show(m.Root), didYouMean(m.Root, sortedKeys(s.objects)))
		}
	}
	for _, p := range s.Pages {
		c.release(p, rels)
		c.page(p)
	}
	c.shared()
	for i := range s.Pending {
		c.pendingName(&s.Pending[i])
	}
	return c.errs.sorted()
}

// checker collects what CheckNames finds.
type checker struct {
	*Spec
	f    *Facts
	errs Errors
}

func (c *checker) add(pos Pos, code, subject, problem, fix string) {
	if fix == "" {
		fix = "correct it, or name the verbs.h that has it with --header"
	}
	c.errs = append(c.errs, Error{Pos: pos, Subject: subject, Problem: problem, Fix: fix, Code: code})
}

func (c *checker) page(p *Page) {
	for i := range p.Flags {
		t := &p.Flags[i]
		c.enumType(t.Go, t.Enum, t.Members, t.marks, t.Pos)
		for _, r := range t.Ranges {
			c.constant(t.marks.at("ranges", r, t.Pos), t.Go, r)
		}
		c.prefixed(t.Go, t.Prefix, t.Enum, t.Members, t.Names, t.marks, t.Pos)
		c.memberKeys(t.Go, t.Enum, "names", t.Names, t.marks, t.Pos)
		c.memberKeys(t.Go, t.Enum, "docs", t.Docs, t.marks, t.Pos)
	}
	for i := range p.Enums {
		t := &p.Enums[i]
		c.enumType(t.Go, t.Enum, t.Members, t.marks, t.Pos)
		c.prefixed(t.Go, t.Prefix, t.Enum, t.Members, t.Names, t.marks, t.Pos)
		c.memberKeys(t.Go, t.Enum, "names", t.Names, t.marks, t.Pos)
		c.memberKeys(t.Go, t.Enum, "docs", t.Docs, t.marks, t.Pos)
		c.events(t)
	}
	for i := range p.Records {
		c.record(&p.Records[i])
	}
	for i := range p.Unions {
		c.union(&p.Unions[i])
	}
	for i := range p.Objects {
		c.object(&p.Objects[i])
	}
	for i := range p.Verbs {
		c.verb(&p.Verbs[i])
	}
	for i := range p.Rules {
		if !p.Rules[i].Retired {
			c.rule(&p.Rules[i])
		}
	}
	for _, n := range p.Notes {
		c.function(n.Pos, "note", n.Verb)
	}
	for _, k := range p.Skip {
		if !c.f.Has(k.C) {
			c.add(k.Pos, CodeUnknownName, show(k.C), "no known release declares it", didYouMean(bare(k.C), c.allNames()))
		}
	}
}

// union checks the members of a union.
func (c *checker) union(u *Union) {
	rec := c.f.Record("union " + u.C)
	if rec == nil {
		c.add(u.marks.at("c", u.C, u.Pos), CodeUnknownName, u.Go, "no known release has union "+show(u.C), "correct c:")
		return
	}
	member := func(key, name string) {
		if _, ok := c.f.Member(c.f.TypeOf("union "+u.C), name); !ok {
			c.add(u.marks.at(key, name, u.Pos), CodeUnknownName, u.Go, "no known release has the member "+show(name)+" of union "+u.C, didYouMean(name, c.f.Members(c.f.TypeOf("union "+u.C))))
		}
	}
	member("shows", u.Shows)
	for _, name := range sortedKeys(u.Hide) {
		member("hide", name)
	}
}

// enumType checks the enum of a type and the members listed; members of a type without enum are constants.
func (c *checker) enumType(subject, enum string, members []string, m marks, pos Pos) {
	if enum != "" && c.f.Enum(enum) == nil {
		c.add(m.at("enum", enum, pos), CodeUnknownName, subject, "no known release has enum "+show(enum), didYouMean(enum, c.enumTags()))
		return
	}
	for _, name := range members {
		c.member(m.at("members", name, pos), subject, enum, name)
	}
}

// memberKeys checks the keys of names and docs.
func (c *checker) memberKeys(subject, enum, key string, entries map[string]string, m marks, pos Pos) {
	for _, name := range sortedKeys(entries) {
		c.member(m.at(key, name, pos), subject, enum, name)
	}
}

// member checks that a name is an enumerator of the enum, or any macro (flags of a use may be macros).
func (c *checker) member(pos Pos, subject, enum, name string) {
	e := c.f.Enum(enum)
	if e == nil {
		c.constant(pos, subject, name)
		return
	}
	if owner := c.f.EnumOf(name); owner == e || owner == nil && c.f.Const(name) != nil {
		return
	}
	c.add(pos, CodeUnknownName, subject, fmt.Sprintf("no flag %s in %s (%s)", show(name), e.Tag, headerPos(e.Pos)), didYouMean(name, enumerators(e)))
}

// headerPos tells a place in a header by the header's base name.
func headerPos(p api.Pos) string {
	p.File = path.Base(p.File)
	return p.Short()
}

func enumerators(e *api.Enum) []string {
	out := make([]string, len(e.Enumerators))
	for i, m := range e.Enumerators {
		out[i] = m.Name
	}
	return out
}

// constant checks the name of a constant.
func (c *checker) constant(pos Pos, subject, name string) {
	if c.f.Const(name) == nil {
		c.add(pos, CodeUnknownName, subject, "no known release has the constant "+show(name), didYouMean(name, c.f.ConstNames()))
	}
}

// function checks the name of a function, and gives it.
func (c *checker) function(pos Pos, subject, name string) *api.Function {
	fn := c.f.Func(name)
	if fn == nil {
		c.add(pos, CodeUnknownName, subject, "no known release has the function "+show(name), didYouMean(name, c.f.FuncNames()))
	}
	return fn
}

func (c *checker) record(r *Record) {
	t := c.f.TypeOf("struct " + r.C)
	if t.record == nil {
		c.add(r.marks.at("c", r.C, r.Pos), CodeUnknownName, r.Go, "no known release has struct "+show(r.C), didYouMean(r.C, c.structTags()))
		return
	}
	t.Kind = CStruct
	if r.Arm != nil {
		c.constant(r.Pos, r.Go, r.Arm.Is)
		for _, name := range []string{r.Arm.Tag, r.Arm.Size} {
			if name != "" {
				c.field(r.Pos, r.Go, t, name)
			}
		}
	}
	if r.Tail != nil {
		c.field(r.Pos, r.Go, t, r.Tail.Count)
		c.field(r.Pos, r.Go, t, r.Tail.Size)
	}
	listed := map[string]bool{}
	for i := range r.Fields {
		f := &r.Fields[i]
		listed[f.C] = true
		of, name := c.filled(r, t, f.C)
		c.field(f.Pos, r.Go, of, name)
		if f.Bit != "" {
			c.constant(f.marks.at("bit", f.Bit, f.Pos), r.Go+"."+f.C, f.Bit)
		}
		for key, name := range map[string]string{"len": f.Len, "pair": f.Pair, "tag": f.Tag} {
			if name != "" {
				c.field(f.marks.at(key, name, f.Pos), r.Go+"."+f.C, t, name)
			}
		}
		for _, name := range append(slices.Clone(f.On), f.NewOn) {
			if name != "" {
				c.constant(f.marks.at("on", name, f.marks.at("new_on", name, f.Pos)), r.Go+"."+f.C, name)
			}
		}
		for key, name := range map[string]string{"default": f.Default, "ok": f.OK, "swap_if": f.SwapIf} {
			if name != "" {
				c.constant(f.marks.at(key, name, f.Pos), r.Go+"."+f.C, name)
			}
		}
	}
	for _, root := range sortedKeys(r.CapsFrom) {
		c.capsFrom(r, t, root)
	}
	for _, name := range sortedKeys(r.Hide) {
		c.field(r.marks.at("hide", name, r.Pos), r.Go, t, name)
		if listed[name] {
			c.add(r.marks.at("hide", name, r.Pos), CodeDuplicateName, r.Go, "field "+name+" is both shown and hidden", "keep one of them")
		}
	}
	for _, w := range r.Switches {
		c.constant(w.Pos, r.Go, w.C)
	}
	if r.Mask != "" {
		c.field(r.marks.at("mask", r.Mask, r.Pos), r.Go, t, r.Mask)
	}
	for _, name := range r.New {
		if !listed[name] {
			c.add(r.marks.at("new", name, r.Pos), CodeUnknownName, r.Go, "new: "+show(name)+" is not among its fields", didYouMean(name, sortedKeys(listed)))
		}
	}
}

// filled gives the struct that has a field, and its name there: of a lazy record that may be a member of what a function fills.
func (c *checker) filled(r *Record, t CType, path string) (of CType, name string) {
	function, member, ok := strings.Cut(path, ".")
	if r.Role != RecordLazy || !ok {
		return t, path
	}
	for _, f := range t.record.Fields {
		if f.Name == function && f.Func != nil && len(f.Func.Params) == 2 {
			return c.f.TypeOf("struct " + c.f.TypeOf(f.Func.Params[1].Type).Tag), member
		}
	}
	return t, path
}

// field checks the name of a field, which may be dotted.
func (c *checker) field(pos Pos, subject string, t CType, name string) {
	at := t
	for _, step := range strings.Split(name, ".") {
		next, ok := c.f.Member(at, step)
		if !ok {
			c.add(pos, CodeUnknownName, subject, fmt.Sprintf("struct %s has no field %s", t.Tag, show(name)), didYouMean(step, c.f.Members(at)))
			return
		}
		at = next
	}
}

func (c *checker) object(o *Object) {
	t := c.f.TypeOf("struct " + o.C)
	if t.record == nil {
		c.add(o.marks.at("c", o.C, o.Pos), CodeUnknownName, o.Go, "no known release has struct "+show(o.C), didYouMean(o.C, c.structTags()))
	} else {
		for _, g := range slices.Concat(o.Getters, o.Addresses) {
			c.field(g.Pos, o.Go, t, g.C)
		}
		for _, l := range o.Lends {
			c.field(l.Pos, o.Go, t, l.C)
		}
		if o.FD != "" {
			c.field(o.marks.at("fd", o.FD, o.Pos), o.Go, t, o.FD)
		}
	}
	for _, tag := range o.Also {
		if c.f.TypeOf("struct "+tag).record == nil {
			c.add(o.marks.at("also", tag, o.Pos), CodeUnknownName, o.Go, "no known release has struct "+show(tag), didYouMean(tag, c.structTags()))
		}
	}
	if r := o.Region; r != nil {
		c.constant(r.Pos, o.Go+".region", r.Vague)
	}
	c.function(o.marks.at("destroy", o.Destroy, o.Pos), o.Go, o.Destroy)
	c.needs(o.Go, o.NeedsVerbs, o.marks, o.Pos)
	for _, prop := range sortedKeys(o.StateFrom) {
		if t.record != nil && (o.StateFrom[prop] == StateObject || !slices.Contains(c.f.objects[o.C], prop)) {
			c.field(o.marks.at("state_from", prop, o.Pos), o.Go, t, prop)
		}
	}
}

// iova checks the paths by which addresses in a new region begin.
func (c *checker) iova(v *Verb, fn *api.Function) {
	for _, path := range v.IOVA {
		if path == IOVAZero || path == IOVAUnknown {
			continue
		}
		if _, _, err := c.f.TypeOfPath(fn, path); err != nil {
			c.add(v.marks.at("iova", path, v.Pos), CodeUnknownPath, v.C, "iova: "+show(path)+" leads nowhere: "+err.Error(), "")
		}
	}
}

// needs checks the functions of needs_verbs.
func (c *checker) needs(subject string, verbs map[string]string, m marks, pos Pos) {
	for _, part := range sortedKeys(verbs) {
		c.function(m.at("needs_verbs."+part, verbs[part], pos), subject, verbs[part])
	}
}

// events checks what the events of a type concern. Each concerns one thing.
func (c *checker) events(t *EnumType) {
	of := map[string]string{}
	for i := range t.EventOf {
		x := &t.EventOf[i]
		if x.Of != EventOfPort && x.Of != EventOfDevice && c.f.TypeOf("struct "+x.Of).record == nil {
			c.add(x.Pos, CodeUnknownName, t.Go, "event_of: no known release has struct "+show(x.Of), didYouMean(x.Of, append(c.structTags(), EventOfPort, EventOfDevice)))
		}
		for _, name := range x.Events {
			at := x.marks.at(x.Of, name, x.Pos)
			c.member(at, t.Go, t.Enum, name)
			if first := of[name]; first != "" {
				c.add(at, CodeDuplicateName, t.Go, "event_of: "+name+" concerns "+first+" already", "keep one of them")
			}
			of[name] = x.Of
		}
	}
}

// capsFrom checks one word of capability paths and the field that it stands for.
func (c *checker) capsFrom(r *Record, t CType, root string) {
	field := r.CapsFrom[root]
	word, known := c.f.caps[root]
	tag := word.c
	if !known {
		c.add(r.marks.at("caps_from", root, r.Pos), CodeUnknownName, r.Go, "caps_from: no capabilities are called "+show(root), didYouMean(root, sortedKeys(c.f.caps)))
		return
	}
	has := t
	if field != CapsSelf {
		has, _ = c.f.Member(t, field)
	}
	if has.Tag != tag || has.Pointer {
		c.add(r.marks.at("caps_from."+root, field, r.Pos), CodeUnknownName, r.Go, "caps_from: "+show(field)+" is no struct "+tag+", which "+root+" stands for", "name the field of that type, or "+CapsSelf)
	}
}

func (c *checker) verb(v *Verb) {
	fn := c.function(v.Pos, v.C, v.C)
	if fn == nil {
		return
	}
	names := make([]string, len(fn.Params))
	for i, p := range fn.Params {
		names[i] = p.Name
	}
	param := func(pos Pos, name string) {
		if !slices.Contains(names, name) {
			c.add(pos, CodeUnknownName, v.C, "it has no parameter "+show(name), didYouMean(name, names))
		}
	}
	for i := range v.Params {
		p := &v.Params[i]
		param(p.Pos, p.C)
		if p.Len != "" {
			param(p.marks.at("len", p.Len, p.Pos), p.Len)
		}
		if p.Bit != "" {
			c.constant(p.marks.at("bit", p.Bit, p.Pos), v.C+"."+p.C, p.Bit)
		}
	}
	c.needs(v.C, v.NeedsVerbs, v.marks, v.Pos)
	if v.EndedBy != "" {
		c.function(v.marks.at("ended_by", v.EndedBy, v.Pos), v.C, v.EndedBy)
	}
	for key, path := range map[string]string{"extent": v.Extent, "asks": v.Asks, "made_in": v.MadeIn} {
		if path == "" {
			continue
		}
		if _, _, err := c.f.TypeOfPath(fn, path); err != nil {
			c.add(v.marks.at(key, path, v.Pos), CodeUnknownPath, v.C, key+": "+show(path)+" leads nowhere: "+err.Error(), "")
		}
	}
	for _, name := range v.constants() {
		c.constant(v.Pos, v.C, name)
	}
	c.iova(v, fn)
	for i := range v.Methods {
		m := &v.Methods[i]
		for _, flag := range m.ImpliesFlags {
			c.constant(m.marks.at("implies_flags", flag, m.Pos), m.Go, flag)
		}
		for _, name := range sortedKeys(m.Fixed) {
			param(m.marks.at("fixed", name, m.Pos), name)
			if value := m.Fixed[name]; !isNumber(value) {
				c.constant(m.marks.at("fixed."+name, value, m.Pos), m.Go, value)
			}
			c.sameEnum(m.Go, fn, name, "fixed."+name, one(m.Fixed[name]), m.marks, m.Pos)
			c.inRange(m.Go, fn, name, "fixed."+name, one(m.Fixed[name]), m.marks, m.Pos)
		}
	}
}

// pendingName checks that a name is declared in the category it is listed in.
func (c *checker) pendingName(p *Pending) {
	ok, among := false, []string(nil)
	switch p.Category {
	case "functions":
		ok, among = c.f.Func(p.C) != nil, c.f.FuncNames()
	case "records":
		ok = c.f.Record("struct "+p.C) != nil || c.f.Record("union "+p.C) != nil || c.f.Record(p.C) != nil
		among = c.structTags()
	case "enums":
		ok, among = c.f.Enum(p.C) != nil || c.f.enums[p.C] != nil || c.f.EnumOf(p.C) != nil, slices.Concat(c.enumTags(), c.f.ConstNames())
	case "macros":
		_, alias := c.f.aliases[p.C]
		ok, among = alias || c.f.macros[p.C] != nil, sortedKeys(c.f.macros)
	}
	if !ok {
		c.add(p.Pos, CodeUnknownName, show(p.C), "no known release has it among its "+p.Category, didYouMean(bare(p.C), among))
	}
}

func (c *checker) structTags() []string { return tags(c.f.records) }

func (c *checker) enumTags() []string { return tags(c.f.enums) }

// tags lists tags without the word before them.
func tags[V any](m map[string]V) []string {
	var out []string
	for _, t := range sortedKeys(m) {
		_, tag, _ := strings.Cut(t, " ")
		out = append(out, tag)
	}
	return out
}

func (c *checker) allNames() []string {
	return slices.Concat(c.f.FuncNames(), c.structTags(), c.enumTags(), c.f.ConstNames())
}
