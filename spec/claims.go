package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// claim is a name of C that a page decides on.
type claim struct {
	name string   // as told in errors
	keys []string // of names that may not be taken twice
	what string   // "this C name is bound"
	of   string   // several Go types may stand for one C type: the first one takes it
	pos  Pos
}

// claims finds names that are taken twice across files. Files of later layers are those with the mistake.
func (s *Spec) claims() (errs Errors) {
	var all []claim
	for _, p := range s.Pages {
		all = append(all, p.claims()...)
		for _, g := range p.goNames() {
			if g.as != "" {
				all = append(all, claim{name: g.Name, keys: []string{"Go " + g.Name}, what: "this Go name is " + g.as, pos: g.Pos})
			}
		}
	}
	for _, p := range s.Pending {
		all = append(all, claimC(p.C, "pending", p.Pos))
	}
	slices.SortStableFunc(all, func(a, b claim) int { return cmp.Compare(s.layers[a.pos.File], s.layers[b.pos.File]) })
	taken := map[string]claim{}
	for _, c := range all {
		twice := false
		for _, key := range c.keys {
			if first, ok := taken[key]; !ok {
				taken[key] = c
			} else if !twice && (c.of == "" || c.of != first.of) {
				twice = true
				errs = append(errs, Error{Pos: c.pos, Subject: show(bare(c.name)), Code: CodeDuplicateName,
					Problem: fmt.Sprintf("%s; it is also defined at %s", c.what, first.pos), Fix: "keep one of them"})
			}
		}
	}
	return append(errs, s.numbersTwice()...)
}

// claimC is that of whatever has a C name: a function, a tag or a constant. A function may have the name of a tag.
func claimC(name, as string, pos Pos) claim {
	c := claim{name: name, keys: []string{name + "()", "C " + bare(name)}, what: "this C name is " + as, pos: pos}
	if bare(name) != name {
		c.keys = c.keys[1:]
	}
	return c
}

// claims lists the C names that a page binds or skips. Constants may be bound several times.
func (p *Page) claims() (out []claim) {
	constants := func(e Entry, key string, names ...string) {
		for _, name := range names {
			out = append(out, claim{name: name, pos: e.At(key, name)})
		}
	}
	for t := range p.types() {
		if t.C != "" && t.C != ObjectInt { // of which each is a type of its own
			_, what, _ := strings.Cut(t.what, " ")
			out = append(out, claim{t.C, []string{"C " + t.C}, "this C name is bound as " + what + " " + t.Go, t.cName(), t.pos})
		}
	}
	for _, r := range p.Records {
		for _, f := range r.Fields {
			constants(f.Entry, "bit", f.Bit)
		}
		if r.Arm != nil {
			constants(r.Entry, "is", r.Arm.Is)
		}
		for _, w := range r.Switches {
			constants(Entry{Pos: w.Pos}, "", w.C)
		}
	}
	for _, t := range p.Flags {
		constants(t.Entry, "members", t.Members...)
		constants(t.Entry, "ranges", t.Ranges...)
	}
	for _, t := range p.Enums {
		constants(t.Entry, "members", t.Members...)
	}
	for _, v := range p.Verbs {
		out = append(out, claim{name: v.C, keys: []string{v.C + "()"}, what: "this C name is bound", pos: v.Pos})
	}
	for _, k := range p.Skip {
		out = append(out, claimC(k.C, "skipped", k.Pos))
	}
	return out
}

// still returns the names that are pending yet, each once: a file of a later layer may decide on some.
func (s *Spec) still(pending []Pending) []Pending {
	decided := map[string]int{} // the last layer that decides on a name
	for _, p := range s.Pages {
		for _, c := range p.claims() {
			decided[bare(c.name)] = max(decided[bare(c.name)], s.layers[c.pos.File])
		}
	}
	seen := map[string]int{}
	return slices.DeleteFunc(pending, func(p Pending) bool {
		name, layer := bare(p.C), s.layers[p.Pos.File]
		if decided[name] > layer {
			return true
		}
		first, twice := seen[name]
		if !twice {
			seen[name] = layer
		}
		return twice && first != layer
	})
}

// GoName is a name that a page gives to something of the generated package: "MRAccess", "AllocDMAttr.LogAlignReq", "PD.RegMR".
type GoName struct {
	Name string
	In   string // of a parameter: the method that takes it
	Pos  Pos
	as   string // of one that may not be given twice: "a flag type"
}

// GoNames lists the names that the pages give, those of pages laid over the project's own last.
func (s *Spec) GoNames() (out []GoName) {
	for _, p := range s.Pages {
		out = append(out, p.goNames()...)
	}
	slices.SortStableFunc(out, func(a, b GoName) int { return cmp.Compare(s.layers[a.Pos.File], s.layers[b.Pos.File]) })
	return out
}

func (p *Page) goNames() (out []GoName) {
	add := func(pos Pos, name, as string) { out = append(out, GoName{Name: name, Pos: pos, as: as}) }
	below := func(of, name, as string, pos Pos) { // a field or method of a Go type
		if name != "" {
			add(pos, of+"."+name, as+" of "+of)
		}
	}
	members := func(names map[string]string, e Entry) {
		for _, c := range sortedKeys(names) {
			add(e.At("names."+c, names[c]), names[c], "")
		}
	}
	for t := range p.types() {
		add(t.pos, t.Go, t.what)
	}
	for _, t := range p.Flags {
		members(t.Names, t.Entry)
	}
	for _, t := range p.Enums {
		members(t.Names, t.Entry)
	}
	for _, r := range p.Records {
		for _, f := range r.Fields {
			below(r.Go, f.Go, "a field", f.At("go", f.Go))
		}
		for _, w := range r.Switches {
			below(r.Go, w.Go, "a switch", w.Pos)
		}
		if r.Setup != nil {
			for _, x := range r.Setup.Types {
				add(x.Pos, x.Go, "a setup")
			}
		}
	}
	for _, o := range p.Objects {
		for _, l := range o.Lends {
			below(o.Go, l.Go, "a method", l.Pos)
		}
		for _, g := range o.Getters {
			below(o.Go, g.Go, "a getter", o.at("go", g.Go, g.Pos))
		}
		for _, a := range o.Addresses {
			below(o.Go, a.Go, "a getter", a.Pos)
		}
	}
	for _, v := range p.Verbs {
		for _, m := range v.Methods {
			add(m.Pos, m.Go, "a method of "+v.C)
			for i := range v.Params {
				if q := &v.Params[i]; q.Go != "" {
					out = append(out, GoName{Name: q.Go, In: m.Go, Pos: q.At("go", q.Go)})
				}
			}
		}
	}
	return out
}

// bare is a tag without the word before it.
func bare(name string) string {
	if word, tag, ok := strings.Cut(name, " "); ok && (word == "struct" || word == "union" || word == "enum") {
		return tag
	}
	return name
}

// numbersTwice finds numbers of rules that are used twice. The later place is the mistake.
func (s *Spec) numbersTwice() (errs Errors) {
	rules := slices.SortedStableFunc(s.AllRules(), func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(s.layers[a.Pos.File], s.layers[b.Pos.File]), strings.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	numbers := map[int]*Rule{}
	for _, r := range rules {
		n, ok := ruleNumber(r.ID)
		switch first := numbers[n]; {
		case !ok:
		case first == nil:
			numbers[n] = r
		default:
			errs = append(errs, Error{Pos: r.Pos, Subject: r.ID, Code: CodeDuplicateRule,
				Problem: fmt.Sprintf("number %04d belongs to %s (%s)", n, first.ID, first.Pos), Fix: "take a number that was never used"})
		}
	}
	return errs
}
