package spec

import (
	"fmt"
	"maps"
	"slices"
)

// joiner adds extensions to pages and notes what both have.
type joiner struct{ errs Errors }

// clash notes that a name of an extension is taken on the page.
func (j *joiner) clash(pos Pos, subject, what string, first Pos) {
	j.errs = append(j.errs, Error{Pos: pos, Subject: subject, Problem: fmt.Sprintf("%s is already at %s", what, first),
		Code: CodeDuplicateName,
		Fix:  "remove it, or replace the whole page with a file of the same name"})
}

// join adds an extension to its page.
func (j *joiner) join(x *extension) {
	p := x.to
	// What the page says by itself stays as it is: its claims are looked at later.
	p.Flags, p.Enums, p.Records = slices.Clone(p.Flags), slices.Clone(p.Enums), slices.Clone(p.Records)
	p.Unions = slices.Clone(p.Unions)
	p.Objects, p.Verbs = slices.Clone(p.Objects), slices.Clone(p.Verbs)
	p.Rules, p.Notes, p.LeftOut, p.Skip = slices.Clone(p.Rules), slices.Clone(p.Notes), slices.Clone(p.LeftOut), slices.Clone(p.Skip)
	j.joinFlags(p, x)
	j.joinEnums(p, x)
	j.joinRecords(p, x)
	j.joinUnions(p, x)
	for _, o := range x.Objects {
		i := slices.IndexFunc(p.Objects, func(b Object) bool { return b.Go == o.Go })
		if i < 0 || !x.adds["objects "+o.Go] {
			p.Objects = append(p.Objects, o)
			continue
		}
		b := &p.Objects[i]
		taken := placesOf(b.Getters, func(g *Getter) (string, Pos) { return g.C, g.Pos })
		for _, g := range o.Getters {
			if first, ok := taken[g.C]; ok {
				j.clash(g.Pos, o.Go, "the getter of "+g.C, first)
				continue
			}
			b.Getters = append(slices.Clip(b.Getters), g)
		}
	}
	for _, v := range x.Verbs {
		i := slices.IndexFunc(p.Verbs, func(b Verb) bool { return b.C == v.C })
		if i < 0 || !x.adds["verbs "+v.C] {
			p.Verbs = append(p.Verbs, v)
			continue
		}
		p.Verbs[i].Methods = slices.Concat(p.Verbs[i].Methods, v.Methods) // a name that is taken is found by the index
	}
	p.Rules = append(p.Rules, x.Rules...)
	p.Notes = append(p.Notes, x.Notes...)
	p.LeftOut = append(p.LeftOut, x.LeftOut...)
	p.Plain = slices.Concat(p.Plain, x.Plain)
	p.Skip = append(p.Skip, x.Skip...)
}

func (j *joiner) joinUnions(p *Page, x *extension) {
	for _, u := range x.Unions {
		i := slices.IndexFunc(p.Unions, func(b Union) bool { return b.Go == u.Go })
		if i < 0 || !x.adds["unions "+u.Go] {
			p.Unions = append(p.Unions, u)
			continue
		}
		hide := maps.Clone(p.Unions[i].Hide)
		for c, why := range u.Hide {
			if c == p.Unions[i].Shows {
				j.clash(u.marks.at("hide", c, u.Pos), u.Go, "the member "+c, p.Unions[i].At("shows", c))
			}
			if _, ok := hide[c]; ok {
				j.clash(u.Pos, u.Go, "the member "+c, p.Unions[i].Pos)
				continue
			}
			if hide == nil {
				hide = map[string]string{}
			}
			hide[c] = why
		}
		p.Unions[i].Hide = hide
	}
}

func (j *joiner) joinFlags(p *Page, x *extension) {
	for _, t := range x.Flags {
		i := slices.IndexFunc(p.Flags, func(b FlagType) bool { return b.Go == t.Go })
		if i < 0 || !x.adds["flags "+t.Go] {
			p.Flags = append(p.Flags, t)
			continue
		}
		b := &p.Flags[i]
		e := enumParts{t.Go, b.Members, b.marks, b.Pos, t.marks, t.Pos}
		b.Members = j.members(e, t.Members)
		b.Ranges = j.texts(e, "ranges", b.Ranges, t.Ranges)
		b.Names, b.Docs = j.textMap(e, "names", b.Names, t.Names), j.textMap(e, "docs", b.Docs, t.Docs)
		b.marks = b.marks.with(t.marks)
	}
}

func (j *joiner) joinEnums(p *Page, x *extension) {
	for _, t := range x.Enums {
		i := slices.IndexFunc(p.Enums, func(b EnumType) bool { return b.Go == t.Go })
		if i < 0 || !x.adds["enums "+t.Go] {
			p.Enums = append(p.Enums, t)
			continue
		}
		b := &p.Enums[i]
		e := enumParts{t.Go, b.Members, b.marks, b.Pos, t.marks, t.Pos}
		b.Members = j.members(e, t.Members)
		b.Names, b.Docs = j.textMap(e, "names", b.Names, t.Names), j.textMap(e, "docs", b.Docs, t.Docs)
		b.Likely = j.textMap(e, "likely", b.Likely, t.Likely)
		b.marks = b.marks.with(t.marks)
	}
}

// enumParts is what joining the parts of a type needs to tell places: those of the page, and those of the extension.
type enumParts struct {
	subject string
	members []string
	marks   marks
	pos     Pos
	more    marks
	morePos Pos
}

// members adds members; a type without a list has all of its enum.
func (j *joiner) members(e enumParts, more []string) []string {
	if len(e.members) == 0 && len(more) > 0 {
		j.errs = append(j.errs, Error{Pos: e.more.at("members", more[0], e.morePos), Subject: e.subject, Code: CodeExtends,
			Problem: "the type at " + e.pos.String() + " takes every member of its enum", Fix: "leave members: out"})
		return e.members
	}
	return j.texts(e, "members", e.members, more)
}

func (j *joiner) texts(e enumParts, key string, has, more []string) []string {
	out := slices.Clone(has)
	for _, name := range more {
		if slices.Contains(has, name) {
			j.clash(e.more.at(key, name, e.morePos), e.subject, key+": "+show(name), e.marks.at(key, name, e.pos))
			continue
		}
		out = append(out, name)
	}
	return out
}

func (j *joiner) textMap(e enumParts, key string, has, more map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range has {
		out[name] = text
	}
	for _, name := range sortedKeys(more) {
		if _, taken := has[name]; taken {
			j.clash(e.more.at(key, name, e.morePos), e.subject, key+": "+show(name), e.marks.at(key, name, e.pos))
			continue
		}
		out[name] = more[name]
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func (j *joiner) joinRecords(p *Page, x *extension) {
	for _, r := range x.Records {
		i := slices.IndexFunc(p.Records, func(b Record) bool { return b.Go == r.Go })
		if i < 0 || !x.adds["records "+r.Go] {
			p.Records = append(p.Records, r)
			continue
		}
		j.joinRecord(&p.Records[i], r)
	}
}

// joinRecord adds fields, hidden fields and switches to a record of the page.
func (j *joiner) joinRecord(b *Record, r Record) {
	taken := placesOf(b.Fields, func(f *RecordField) (string, Pos) { return f.C, f.Pos })
	for name := range b.Hide {
		taken[name] = b.marks.at("hide", name, b.Pos)
	}
	if b.Mask != "" {
		taken[b.Mask] = b.marks.at("mask", b.Mask, b.Pos)
	}
	free := func(name string, pos Pos) bool {
		first, ok := taken[name]
		if ok {
			j.clash(pos, r.Go, "field "+show(name), first)
		}
		taken[name] = pos
		return !ok
	}
	b.Fields = slices.Clip(b.Fields)
	for _, f := range r.Fields {
		if free(f.C, f.Pos) {
			b.Fields = append(b.Fields, f)
		}
	}
	hide := map[string]string{}
	for name, why := range b.Hide {
		hide[name] = why
	}
	for _, name := range sortedKeys(r.Hide) {
		if free(name, r.marks.at("hide", name, r.Pos)) {
			hide[name] = r.Hide[name]
		}
	}
	if len(hide) > 0 {
		b.Hide = hide
	}
	bits := placesOf(b.Switches, func(w *Switch) (string, Pos) { return w.C, w.Pos })
	for _, w := range r.Switches {
		if first, ok := bits[w.C]; ok {
			j.clash(w.Pos, r.Go, "switch "+show(w.C), first)
			continue
		}
		b.Switches = append(slices.Clip(b.Switches), w)
	}
	b.marks = b.marks.with(r.marks)
}

// with returns the marks of a page's entry and of what an extension adds to it; the page's come first.
func (m marks) with(more marks) marks {
	all := new([]mark)
	for _, list := range []marks{m, more} {
		if list.all != nil {
			*all = append(*all, *list.all...)
		}
	}
	return marks{all}
}

// MemberPos is the place where a page, or what extends it, lists a member or gives it a name; else that of the type.
func (t *FlagType) MemberPos(c string) Pos { return memberPos(t.marks, c, t.Pos) }

// MemberPos is the place where a page, or what extends it, lists a member or gives it a name; else that of the type.
func (t *EnumType) MemberPos(c string) Pos { return memberPos(t.marks, c, t.Pos) }

func memberPos(m marks, c string, at Pos) Pos {
	return m.at("names", c, m.at("members", c, at))
}
