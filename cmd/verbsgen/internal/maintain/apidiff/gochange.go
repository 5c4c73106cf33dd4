package apidiff

import (
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// FillGo says in each change what it means for the generated package: undecided are the names that no page decides, and facts those of
// the newer release.
func (d *Diff) FillGo(sp *spec.Spec, undecided []string, facts *spec.Facts) {
	n := goNames(sp)
	n.undecided = map[string]bool{}
	for _, name := range undecided {
		n.undecided[name] = true
	}
	for i := range d.Added {
		d.Added[i].Go = n.added(d.Added[i]) + unlisted(sp, d.Added[i], facts)
	}
	for i := range d.Removed {
		d.Removed[i].Go = n.removed(d.Removed[i])
	}
	for i := range d.Changed {
		d.Changed[i].Go = n.changed(d.Changed[i])
	}
}

// unlisted names the rules that list what they allow out of the enum of a new enumerator, without it: they break for a call with it.
func unlisted(sp *spec.Spec, c Change, facts *spec.Facts) string {
	value, enum := facts.Const(c.Name), facts.EnumOf(c.Name)
	if c.Kind != Enumerator || value == nil || enum == nil {
		return ""
	}
	lacks := func(list []string, bits bool) bool {
		ofEnum, rest := false, new(big.Int).Set(value)
		for _, name := range list {
			ofEnum = ofEnum || facts.EnumOf(name) == enum
			switch v := facts.Const(name); {
			case v == nil:
			case bits:
				rest.AndNot(rest, v)
			case v.Cmp(value) == 0:
				return false
			}
		}
		return ofEnum && (!bits || rest.Sign() != 0)
	}
	var refuse, hint []string
	for _, r := range sp.Rules() {
		var named []string // of a change of state
		for _, t := range r.Transitions {
			named = append(append(named, t.Need...), t.May...)
		}
		switch {
		case !lacks(r.Allow, true) && !lacks(named, true) && !lacks(r.Values, false):
		case r.Severity == spec.SeverityError:
			refuse = append(refuse, r.ID)
		default:
			hint = append(hint, r.ID)
		}
	}
	out := ""
	if len(refuse) > 0 {
		out += "; refused by " + strings.Join(refuse, ", ") + " until a page says otherwise"
	}
	if len(hint) > 0 {
		out += "; hinted at by " + strings.Join(hint, ", ")
	}
	return out
}

// names has the Go names of C names.
type names struct {
	of        map[string][]string
	skipped   map[string]string // reason
	undecided map[string]bool
	whole     []whole
}

// whole is a type that has all enumerators of its enum.
type whole struct{ enum, goType, prefix string }

func goNames(sp *spec.Spec) *names {
	n := &names{of: map[string][]string{}, skipped: map[string]string{}}
	add := func(c, goName string) { n.of[c] = append(n.of[c], goName) }
	for _, p := range sp.Pages {
		for _, v := range p.Verbs {
			for _, m := range v.Methods {
				add(v.C, m.Go)
			}
		}
		for _, r := range p.Records {
			n.record(r, add)
		}
		for _, o := range p.Objects {
			add("struct "+o.C, o.Go)
			add(o.Destroy, o.Go+".Close")
			for _, g := range o.Getters {
				add("struct "+o.C+"."+g.C, o.Go+"."+g.Go)
			}
		}
		for _, t := range p.Flags {
			n.enum(t.Enum, t.Go, t.Prefix, t.Members, t.Names, add)
		}
		for _, t := range p.Enums {
			n.enum(t.Enum, t.Go, t.Prefix, t.Members, t.Names, add)
		}
		for _, s := range p.Skip {
			n.skipped[s.C] = s.Reason
		}
	}
	return n
}

func (n *names) record(r spec.Record, add func(c, goName string)) {
	add("struct "+r.C, r.Go)
	for _, f := range r.Fields {
		add("struct "+r.C+"."+f.C, r.Go+"."+f.Go)
		if f.Bit != "" {
			add(f.Bit, r.Go+"."+f.Go)
		}
	}
	for c, why := range r.Hide {
		n.skipped["struct "+r.C+"."+c] = why
	}
}

func (n *names) enum(tag, goType, prefix string, members []string, names map[string]string, add func(c, goName string)) {
	add("enum "+tag, goType)
	if len(members) == 0 {
		n.whole = append(n.whole, whole{"enum " + tag, goType, prefix})
	}
	for _, c := range members {
		name := names[c]
		if name == "" {
			name = model.MemberName(goType, prefix, c)
		}
		add(c, name)
	}
}

// list lists the Go names of what changed.
func (n *names) list(c Change) string {
	list := slices.Clone(n.of[c.Name])
	for _, w := range n.whole {
		if c.Kind == Enumerator && w.enum == c.Of {
			list = append(list, model.MemberName(w.goType, w.prefix, c.Name))
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

func (n *names) added(c Change) string {
	name, bare := n.list(c), c.Name
	if i := strings.Index(bare, " "); i >= 0 {
		bare = bare[i+1:]
	}
	why, skipped := n.skipped[c.Name]
	if !skipped {
		why, skipped = n.skipped[bare]
	}
	switch {
	case name != "":
		return "new: " + name
	case skipped:
		return "nothing: " + why
	case n.undecided[c.Name], n.undecided[c.Name+" of "+c.Of], n.undecided["field "+strings.TrimPrefix(c.Name, c.Of+".")+" of "+c.Of]:
		return "nothing until a page binds it"
	}
	return "nothing"
}

func (n *names) removed(c Change) string {
	if name := n.list(c); name != "" {
		return name + " goes: programs that use it do not compile"
	}
	return "nothing"
}

func (n *names) changed(c Change) string {
	name := n.list(c)
	switch {
	case name == "":
		return "nothing"
	case c.Kind == Function:
		return name + " may take or return other types: look at its page"
	case c.Kind == Enumerator:
		return name + " has another value: build programs again"
	case c.Kind == Field && ctype(c.Old) != ctype(c.New):
		return name + " may have another type: look at its page"
	}
	return "nothing: the layout of " + name + " follows the header"
}

// ctype is the type in the description of a field.
func ctype(place string) string { t, _, _ := strings.Cut(place, " at "); return t }
