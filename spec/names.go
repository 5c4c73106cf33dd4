package spec

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// CheckNames finds every C name and every path of the spec that none of the releases knows. A name is fine when
// any of them has it: what is newer than the header at hand is left out by its since. The error is Errors.
func (s *Spec) CheckNames(rels ...*api.Release) error {
	c := &checker{Spec: s, f: s.Module.NewFacts(rels...)}
	if s.Module.given {
		c.module(s.Module)
	}
	for _, p := range s.Pages {
		c.release(p, rels)
		c.page(p)
	}
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
		c.members(enumParts{t.Entry, t.Go, t.Enum, t.Prefix, t.Members, t.Names}, map[string]map[string]string{"names": t.Names, "docs": t.Docs})
		c.entry(reflect.ValueOf(t).Elem(), t.Entry, t.Go, scope{})
	}
	for i := range p.Enums {
		t := &p.Enums[i]
		c.members(enumParts{t.Entry, t.Go, t.Enum, t.Prefix, t.Members, t.Names},
			map[string]map[string]string{"names": t.Names, "docs": t.Docs, "likely": t.Likely})
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
	for _, l := range p.LeftOut {
		c.function(l.Pos, "left_out", l.Verb)
	}
	for _, k := range p.Skip {
		if !c.f.Has(k.C) {
			c.add(k.Pos, CodeUnknownName, show(k.C), "no known release declares it", DidYouMean(bare(k.C), c.allNames()))
		}
	}
}

// union checks the members of a union.
func (c *checker) union(u *Union) {
	rec := c.f.Record("union " + u.C)
	if rec == nil {
		c.add(u.At("c", u.C), CodeUnknownName, u.Go, "no known release has union "+show(u.C), "correct c:")
		return
	}
	member := func(key, name string) {
		if _, ok := c.f.Member(c.f.TypeOf("union "+u.C), name); !ok {
			c.add(u.At(key, name), CodeUnknownName, u.Go, "no known release has the member "+show(name)+" of union "+u.C,
				DidYouMean(name, c.f.Members(c.f.TypeOf("union "+u.C))))
		}
	}
	member("shows", u.Shows)
	for _, name := range sortedKeys(u.Hide) {
		member("hide", name)
	}
}

// enumParts is what types of flags and of values have in common.
type enumParts struct {
	Entry
	subject, enum, prefix string
	members               []string
	names                 map[string]string
}

// members checks the enum of a type, the members listed, and the keys of its maps; members of a type without enum are constants.
func (c *checker) members(e enumParts, keys map[string]map[string]string) {
	if e.enum != "" && c.f.Enum(e.enum) == nil {
		c.add(e.At("enum", e.enum), CodeUnknownName, e.subject, "no known release has enum "+show(e.enum), DidYouMean(e.enum, c.enumTags()))
	} else {
		for _, name := range e.members {
			c.member(e.At("members", name), e.subject, e.enum, name)
		}
	}
	c.prefixed(e)
	for key, entries := range keys {
		for name := range entries {
			c.member(e.At(key, name), e.subject, e.enum, name)
		}
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
	c.add(pos, CodeUnknownName, subject, fmt.Sprintf("no flag %s in %s (%s)", show(name), e.Tag, headerPos(e.Pos)),
		DidYouMean(name, e.Names()))
}

// headerPos names a place in a header by the header's base name.
func headerPos(p api.Pos) string {
	p.File = path.Base(p.File)
	return p.Short()
}

// constant checks the name of a constant.
func (c *checker) constant(pos Pos, subject, name string) {
	if c.f.Const(name) == nil {
		c.add(pos, CodeUnknownName, subject, "no known release has the constant "+show(name), DidYouMean(name, c.f.ConstNames()))
	}
}

// function checks the name of a function, and gives it.
func (c *checker) function(pos Pos, subject, name string) *api.Function {
	fn := c.f.Func(name)
	if fn == nil {
		c.add(pos, CodeUnknownName, subject, "no known release has the function "+show(name), DidYouMean(name, c.f.FuncNames()))
	}
	return fn
}

func (c *checker) verb(v *Verb) {
	fn := c.function(v.Pos, v.C, v.C)
	if fn == nil {
		return
	}
	c.entry(reflect.ValueOf(v).Elem(), v.Entry, v.C, scope{fn: fn})
	for i := range v.Methods {
		m := &v.Methods[i]
		for _, name := range sortedKeys(m.Fixed) {
			c.sameEnum(m.Go, fn, name, "fixed."+name, one(m.Fixed[name]), m.Entry)
			c.inRange(m.Go, fn, name, "fixed."+name, one(m.Fixed[name]), m.Entry)
		}
	}
}

// scope is what names of an entry are looked up in.
type scope struct {
	t      CType // of a record or an object
	record *Record
	fn     *api.Function
}

// entry checks what the texts of an entry, and of those below it, name in C.
func (c *checker) entry(v reflect.Value, at Entry, subject string, in scope) {
	for _, o := range options(v.Type()) {
		keys, values, _ := strings.Cut(o.c, ",")
		f := v.FieldByIndex(o.index)
		switch x := f.Interface().(type) {
		case string:
			if !o.isKey {
				c.name(keys, at.At(o.key, x), subject, o.key, x, in)
			}
		case []string:
			for _, name := range x {
				c.name(keys, at.At(o.key, name), subject, o.key, name, in)
			}
		case map[string]string:
			for key, name := range x {
				c.name(keys, at.At(o.key, key), subject, o.key, key, in)
				c.name(values, at.At(o.key+"."+key, name), subject, o.key, name, in)
			}
		case *role.Role:
		default:
			c.below(f, o, at, subject, in)
		}
	}
}

// below checks a struct behind a pointer, or structs by name.
func (c *checker) below(f reflect.Value, o option, at Entry, subject string, in scope) {
	switch {
	case f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct:
		if e := f.Elem().FieldByName("Entry"); e.IsValid() {
			at = e.Interface().(Entry)
		}
		c.entry(f.Elem(), at, subject, in)
	case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
		name := find(f.Type().Elem(), func(o *option) bool { return o.isKey })
		for x := range entriesOf(f) {
			at.Pos = posOf(x)
			of := subject
			if e := x.FieldByName("Entry"); e.IsValid() {
				at = e.Interface().(Entry)
			}
			if name != nil {
				c.name(name.c, at.Pos, subject, o.key, nameOf(x), in)
				if of = nameOf(x); o.below != "own" {
					of = subject + "." + of
				}
			}
			c.entry(x, at, of, in)
		}
	}
}

// name checks a name of C, which is a constant, a number or a constant (value), a function, a struct, a parameter or a path from one, or
// a field.
func (c *checker) name(as string, pos Pos, subject, key, name string, in scope) {
	switch {
	case name == "" || name == QueuelessGiven || name == IOVAZero || name == IOVAUnknown:
	case as == "constant", as == "value" && !isNumber(name):
		c.constant(pos, subject, name)
	case as == "function":
		c.function(pos, subject, name)
	case as == "struct" && c.f.TypeOf("struct "+name).record == nil:
		c.add(pos, CodeUnknownName, subject, "no known release has struct "+show(name), DidYouMean(name, c.structTags()))
	case as == "field" && in.t.Kind != "" && (in.t.record != nil || in.t.Kind == CInt):
		of, field := c.filled(in.record, in.t, name)
		c.field(pos, subject, of, field)
	case as == "parameter":
		if _, ok := c.f.Param(in.fn, name); !ok {
			c.add(pos, CodeUnknownName, in.fn.Name, "it has no parameter "+show(name), DidYouMean(name, paramNames(in.fn)))
		}
	case as == "path":
		if _, _, err := c.f.TypeOfPath(in.fn, name); err != nil {
			c.add(pos, CodeUnknownPath, subject, key+": "+show(name)+" leads nowhere: "+err.Error(), "")
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
		c.add(p.Pos, CodeUnknownName, show(p.C), "no known release has it among its "+p.Category, DidYouMean(bare(p.C), among))
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
