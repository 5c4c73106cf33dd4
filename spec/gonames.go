package spec

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// notExported says why a text is no exported Go name; nothing when it is one.
func notExported(name string) string {
	if token.IsExported(name) && token.IsIdentifier(name) && !strings.ContainsFunc(name, invisible) {
		return ""
	}
	return show(name) + " is not an exported Go identifier"
}

// exportedFix says what an exported Go name is.
const exportedFix = "begin with a capital letter, then letters and digits"

// exported reads a text that becomes an exported Go name.
func (d *decoder) exported(to *string) reader {
	return func(n *yaml.Node, at place) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		if problem := notExported(s); problem != "" {
			d.add(n, CodeGoName, at.subject, at.key+": "+problem, exportedFix)
			return
		}
		*to = s
	}
}

// goType checks the key of a flag type, an enum type, a record or an object.
func (d *decoder) goType(k *yaml.Node, name string) {
	if problem := notExported(name); problem != "" {
		d.add(k, CodeGoName, name, problem, exportedFix)
	}
}

// local reads a text that becomes the Go name of a parameter.
func (d *decoder) local(to *string) reader {
	return func(n *yaml.Node, at place) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		switch {
		case token.IsKeyword(s):
			d.add(n, CodeGoName, at.subject, at.key+": "+s+" is a Go keyword", "choose another name")
		case types.Universe.Lookup(s) != nil:
			d.add(n, CodeGoName, at.subject, at.key+": "+s+" is a predeclared name of Go", "choose another name")
		case !token.IsIdentifier(s) || strings.ContainsFunc(s, invisible) || !unicode.IsLower([]rune(s)[0]):
			d.add(n, CodeGoName, at.subject, at.key+": "+show(s)+" cannot be the Go name of a parameter",
				"begin with a lower-case letter, then letters and digits")
		default:
			*to = s
		}
	}
}

// goMethod checks the key of a method: its receiver, a dot and its name. One without a dot is for those who know the receivers.
func (d *decoder) goMethod(k *yaml.Node, name string) {
	recv, method, dotted := strings.Cut(name, ".")
	if !dotted {
		return
	}
	for _, part := range []string{recv, method} {
		if problem := notExported(part); problem != "" {
			d.add(k, CodeGoName, name, problem, "write it like PD.RegMR")
			return
		}
	}
}

// legible notes a character of a text that is not to be seen, or that moves what stands around it: a control character, a mark
// of direction, a blank of another width. A text becomes a comment, a message or a name.
func (d *decoder) legible(n *yaml.Node, at place, s string) bool {
	for _, r := range s {
		if r == '\n' || !invisible(r) {
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		d.add(n, CodeValue, at.subject, at.key+" contains the invisible character "+q[1:len(q)-1], "remove it")
		return false
	}
	return true
}

// invisible reports whether a character cannot be seen. Some of these are letters, such as U+3164.
func invisible(r rune) bool {
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// GoName is a name that a page gives to something of the generated package: "MRAccess", "AllocDMAttr.LogAlignReq", "PD.RegMR".
type GoName struct {
	Name string
	In   string // of a parameter: the method that takes it
	Pos  Pos
}

// GoNames lists the names that the pages give, those of pages laid over the project's own last.
func (s *Spec) GoNames() []GoName {
	var out []GoName
	add := func(pos Pos, name string) { out = append(out, GoName{Name: name, Pos: pos}) }
	named := func(names map[string]string, e Entry) {
		for _, c := range sortedKeys(names) {
			add(e.At("names."+c, names[c]), names[c])
		}
	}
	pages := slices.Clone(s.Pages)
	slices.SortStableFunc(pages, func(a, b *Page) int { return cmp.Compare(s.layers[a.Pos.File], s.layers[b.Pos.File]) })
	for _, p := range pages {
		for t := range p.types() {
			add(t.pos, t.Go)
		}
		for _, t := range p.Flags {
			named(t.Names, t.Entry)
		}
		for _, t := range p.Enums {
			named(t.Names, t.Entry)
		}
		for _, r := range p.Records {
			for _, f := range r.Fields {
				add(f.At("go", f.Go), r.Go+"."+f.Go)
			}
			for _, w := range r.Switches {
				add(w.Pos, r.Go+"."+w.Go)
			}
			if r.Setup != nil {
				for _, x := range r.Setup.Types {
					add(x.Pos, x.Go)
				}
			}
		}
		for _, o := range p.Objects {
			for _, g := range o.Getters {
				add(o.at("go", g.Go, g.Pos), o.Go+"."+g.Go)
			}
		}
		for i := range p.Verbs {
			out = append(out, p.Verbs[i].goNames()...)
		}
	}
	return out
}

// goNames lists the names of a verb's methods and of the parameters that a page names.
func (v *Verb) goNames() []GoName {
	var out []GoName
	for _, m := range v.Methods {
		out = append(out, GoName{Name: m.Go, Pos: m.Pos})
		for i := range v.Params {
			if p := &v.Params[i]; p.Go != "" {
				out = append(out, GoName{Name: p.Go, In: m.Go, Pos: p.At("go", p.Go)})
			}
		}
	}
	return out
}
