package spec

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/spec/cond"
)

// Kind is a kind of rules. Each stands in a file of its own, which registers it, and that is all there is to say of it: what a
// rule of the kind means, everything else reads off the tree that Broken gives.
type Kind struct {
	Name string
	Must [][]string // keys that a rule of the kind takes: of each group, at least one stands
	May  []string   // further keys
	// Broken gives the condition under which a call breaks a rule that applies to it. What the keys may hold follows from it:
	// flags of an integer, numbers beside a number, a pointer that may be NULL.
	Broken func(r *Rule) *Cond
	// Gates tells that a rule of the kind says which bit of a mask a field needs.
	Gates bool
	// check finds values that contradict each other; nil when none can.
	check func(c *checker, r *Rule)
}

// Cond is a condition of a rule over the names that its page has.
type Cond = cond.Node[Ref]

// Ref is an operand of a rule, as its page writes it.
type Ref struct {
	Key   string   // where it stands
	As    RefAs    // what the key takes
	Text  string   // empty for flags
	Flags []string // names, or numbers
	marks marks
	pos   Pos // of what has the key
}

// RefAs is what a key of a rule takes.
type RefAs uint8

// What a key takes.
const (
	AsPath  RefAs = iota // a path of the arguments
	AsPlace              // a path of the arguments, or a capability
	AsCap                // a capability
	AsValue              // an integer, a constant, "page" or a path of the arguments
	AsFlags
	AsBits // flags, or numbers
)

// at gives the place of one of the texts of an operand.
func (r Ref) at(text string) Pos { return r.marks.at(r.Key, text, r.pos) }

// byName has the kinds. It is filled before main begins, and by tests.
var byName = map[string]*Kind{}

// Register adds a kind. It is for the files of kinds, and for tests.
func Register(k Kind) *Kind {
	if byName[k.Name] != nil {
		panic(fmt.Sprintf("internal error: two kinds of rules are called %q", k.Name))
	}
	byName[k.Name] = &k
	return &k
}

// Kinds lists the names of the kinds of rules.
func Kinds() []string { return sortedKeys(byName) }

// kindKeys are the keys whose use depends on the kind, but for must and transitions, which hold entries of their own.
var kindKeys = []struct {
	name string
	as   RefAs
	of   func(*Rule) []string
}{
	{"subject", AsPath, func(r *Rule) []string { return one(r.Subject) }},
	{"if", AsFlags, func(r *Rule) []string { return r.If }},
	{"need", AsFlags, func(r *Rule) []string { return r.Need }},
	{"not", AsFlags, func(r *Rule) []string { return r.Not }},
	{"allow", AsBits, func(r *Rule) []string { return r.Allow }},
	{"values", AsValue, func(r *Rule) []string { return r.Values }},
	{"fields", AsPath, func(r *Rule) []string { return r.Fields }},
	{"mask", AsPath, func(r *Rule) []string { return one(r.Mask) }},
	{"bit", AsFlags, func(r *Rule) []string { return one(r.Bit) }},
	{"bits", AsFlags, func(r *Rule) []string { return r.Bits }},
	{"min", AsValue, func(r *Rule) []string { return one(r.Min) }},
	{"max", AsValue, func(r *Rule) []string { return one(r.Max) }},
	{"sum", AsValue, func(r *Rule) []string { return r.Sum }},
	{"to", AsValue, func(r *Rule) []string { return one(r.To) }},
	{"same_as", AsPath, func(r *Rule) []string { return one(r.SameAs) }},
	{"cap", AsCap, func(r *Rule) []string { return one(r.Cap) }},
	{"cap_has", AsBits, func(r *Rule) []string { return r.CapHas }},
	{"state", AsPath, func(r *Rule) []string { return one(r.State) }},
	{"assumed", AsPath, func(r *Rule) []string { return one(r.Assumed) }},
	{"next", AsPath, func(r *Rule) []string { return one(r.Next) }},
}

// Operands gives the operands that a key of a rule has; for a key of flags, the one set of them. A key that is not given has none.
func (r *Rule) Operands(key string) []*Cond {
	for _, k := range kindKeys {
		if k.name != key {
			continue
		}
		if k.as >= AsFlags {
			return flagSet(key, k.as, k.of(r), r.marks, r.Pos)
		}
		var out []*Cond
		for _, text := range k.of(r) {
			out = append(out, cond.Leaf(cond.Operand, Ref{Key: key, As: k.as, Text: text, marks: r.marks, pos: r.Pos}))
		}
		return out
	}
	return nil
}

// Operand gives the operand, or the set of flags, that a key has; nil for a key that is not given.
func (r *Rule) Operand(key string) *Cond { return first(r.Operands(key)) }

// Number is an operand that is a number.
func Number(text string) *Cond { return cond.Leaf(cond.Operand, Ref{As: AsValue, Text: text}) }

func first(list []*Cond) *Cond {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

func flagSet(key string, as RefAs, names []string, m marks, pos Pos) []*Cond {
	if len(names) == 0 {
		return nil
	}
	return []*Cond{cond.Leaf(cond.Flags, Ref{Key: key, As: as, Flags: names, marks: m, pos: pos})}
}

// Broken gives the condition under which a call breaks the rule: it applies, and is violated.
func (r *Rule) Broken() *Cond {
	violated := r.Violated()
	if violated == nil { // of a kind that there is not: it is never broken
		return nil
	}
	return cond.Of(cond.All, Conditions(r.When), violated)
}

// Violated gives the condition under which a call that the rule applies to breaks it.
func (r *Rule) Violated() *Cond {
	if k := byName[r.Kind]; k != nil {
		return k.Broken(r)
	}
	return nil
}

// Gates reports whether Bit of Mask is what the subject needs.
func (r *Rule) Gates() bool { return byName[r.Kind] != nil && byName[r.Kind].Gates }

// Conditions gives the condition that all of some comparisons hold; nil for none.
func Conditions(atoms []Atom) *Cond {
	var all []*Cond
	for i := range atoms {
		all = append(all, atoms[i].cond())
	}
	return cond.Of(cond.All, all...)
}

// cond gives the one test of a comparison.
func (a *Atom) cond() *Cond {
	of := cond.Leaf(cond.Operand, Ref{Key: "of", As: AsPlace, Text: a.Of, marks: a.marks, pos: a.Pos})
	for _, t := range []struct {
		key   string
		op    cond.Op
		flags []string
	}{{"has", cond.Has, a.Has}, {"all", cond.HasAll, a.All}, {"lacks", cond.Lacks, a.Lacks}} {
		if len(t.flags) > 0 {
			return cond.Test(t.op, of, first(flagSet(t.key, AsFlags, t.flags, a.marks, a.Pos)))
		}
	}
	for _, t := range []struct {
		key    string
		op     cond.Op
		values []string
		as     RefAs
	}{
		{"eq", cond.Eq, one(a.Eq), AsValue}, {"ne", cond.Ne, one(a.Ne), AsValue}, {"in", cond.In, a.In, AsValue}, {"lt", cond.Lt, one(a.Lt), AsValue},
		{"le", cond.Le, one(a.Le), AsValue}, {"gt", cond.Gt, one(a.Gt), AsValue}, {"ge", cond.Ge, one(a.Ge), AsValue}, {"same", cond.Same, one(a.Same), AsPath},
	} {
		if len(t.values) > 0 {
			n := cond.Test(t.op, of)
			for _, text := range t.values {
				n.Sub = append(n.Sub, cond.Leaf(cond.Operand, Ref{Key: t.key, As: t.as, Text: text, marks: a.marks, pos: a.Pos}))
			}
			return n
		}
	}
	for _, t := range []struct {
		yes     *bool
		op, not cond.Op
	}{{a.Null, cond.Null, cond.NotNull}, {a.Set, cond.Set, cond.Unset}} {
		switch {
		case t.yes == nil:
		case *t.yes:
			return cond.Test(t.op, of)
		default:
			return cond.Test(t.not, of)
		}
	}
	return nil
}

// takes reports whether a rule of the kind may have a key.
func (k *Kind) takes(key string) bool {
	return slices.Contains(k.May, key) || slices.ContainsFunc(k.Must, func(group []string) bool { return slices.Contains(group, key) })
}

// allKindKeys lists the keys whose use depends on the kind.
func allKindKeys() []string {
	keys := []string{"must", "transitions"}
	for _, k := range kindKeys {
		keys = append(keys, k.name)
	}
	return keys
}
