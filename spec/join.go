package spec

import (
	"fmt"
	"maps"
	"reflect"
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

// join adds an extension to its page. What the page says by itself stays as it is: its claims are looked at later.
func (j *joiner) join(x *extension) {
	p := x.to
	for i := range sections {
		s := &sections[i]
		list := s.list(p)
		all := cloned(list)
		for e := range entriesOf(s.list(&x.Page)) {
			if !x.added(s, nameOf(e)) {
				all = reflect.Append(all, e)
				continue
			}
			for b := range entriesOf(all) {
				if nameOf(b) == nameOf(e) {
					j.add(s, b, e)
				}
			}
		}
		list.Set(all)
	}
	p.Rules, p.Notes, p.LeftOut = slices.Concat(p.Rules, x.Rules), slices.Concat(p.Notes, x.Notes), slices.Concat(p.LeftOut, x.LeftOut)
	p.Plain, p.Skip = slices.Concat(p.Plain, x.Plain), slices.Concat(p.Skip, x.Skip)
}

// cloned is a copy of a list with room for more.
func cloned(list reflect.Value) reflect.Value {
	return reflect.AppendSlice(reflect.MakeSlice(list.Type(), 0, list.Len()), list)
}

// part is one of the names under a key of an entry, with its place and what it stands for.
type part struct {
	name  string
	pos   Pos
	value reflect.Value
}

// parts lists the names under a key of an entry: those of a list, or of a mapping.
func parts(entry reflect.Value, key string) (out []part) {
	e, of := entry.FieldByName("Entry").Interface().(Entry), fieldOf(entry, key)
	switch list := of.Interface().(type) {
	case []string:
		for i, name := range list {
			out = append(out, part{name, e.At(key, name), of.Index(i)})
		}
	case map[string]string:
		for _, name := range sortedKeys(list) {
			out = append(out, part{name, e.At(key, name), reflect.ValueOf(list[name])})
		}
	default:
		for x := range entriesOf(of) {
			out = append(out, part{nameOf(x), posOf(x), x})
		}
	}
	return out
}

// add adds to an entry of the page what an entry of the extension has.
func (j *joiner) add(s *section, page, more reflect.Value) {
	taken := map[string]Pos{}
	as := func(key, name string) string {
		if key == "hide" { // a field is shown or hidden
			key = "fields"
		}
		return key + " " + name
	}
	words := map[string]string{"fields": "field ", "hide": "field ", "switches": "switch ", "getters": "the getter of "}
	for _, key := range s.adds {
		for _, x := range parts(page, key) {
			taken[as(key, x.name)] = x.pos
		}
	}
	switch x := page.Addr().Interface().(type) {
	case *Record:
		taken[as("fields", x.Mask)] = x.At("mask", x.Mask)
	case *Union:
		taken[as("hide", x.Shows)], words["hide"] = x.At("shows", x.Shows), "the member "
	}
	for _, key := range s.adds {
		to := fieldOf(page, key)
		if key == "members" && to.Len() == 0 { // it has all of its enum
			for _, x := range parts(more, key)[:min(1, fieldOf(more, key).Len())] {
				j.errs = append(j.errs, Error{Pos: x.pos, Subject: nameOf(page), Code: CodeExtends,
					Problem: "the type at " + posOf(page).String() + " takes every member of its enum", Fix: "leave members: out"})
			}
			continue
		}
		names, isMap := to.Interface().(map[string]string)
		if names = maps.Clone(names); !isMap {
			to.Set(cloned(to))
		} else if names == nil {
			names = map[string]string{}
		}
		for _, x := range parts(more, key) {
			first, clash := taken[as(key, x.name)]
			switch {
			case clash && key != "methods": // of which a name that is taken is found by the index
				word := words[key]
				if word == "" {
					word = key + ": "
				}
				j.clash(x.pos, nameOf(more), word+show(x.name), first)
				continue
			case isMap:
				names[x.name] = x.value.String()
			default:
				to.Set(reflect.Append(to, x.value))
			}
			taken[as(key, x.name)] = x.pos
		}
		if len(names) > 0 {
			to.Set(reflect.ValueOf(names))
		}
	}
	e := page.FieldByName("Entry")
	e.Set(reflect.ValueOf(e.Interface().(Entry).with(more.FieldByName("Entry").Interface().(Entry))))
}

// with returns the marks of a page's entry and of what an extension adds to it; the page's come first.
func (e Entry) with(more Entry) Entry {
	all := new([]mark)
	for _, list := range []*[]mark{e.marks, more.marks} {
		if list != nil {
			*all = append(*all, *list...)
		}
	}
	return Entry{e.Pos, all}
}

// MemberPos is the place where a page, or what extends it, lists a member or gives it a name; else that of the type.
func (t *FlagType) MemberPos(c string) Pos { return memberPos(t.Entry, c) }

// MemberPos is the place where a page, or what extends it, lists a member or gives it a name; else that of the type.
func (t *EnumType) MemberPos(c string) Pos { return memberPos(t.Entry, c) }

func memberPos(e Entry, c string) Pos {
	return e.at("names", c, e.At("members", c))
}
