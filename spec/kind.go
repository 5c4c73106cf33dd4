package spec

import (
	"fmt"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/cond"
)

// Kind is a kind of rules. Each has a file of its own, kind_NAME.go, which registers it. The meaning of a rule is the tree that
// Broken returns: names are checked, calls are judged and Go is printed from it.
type Kind struct {
	Name string
	Must [][]string // keys that a rule of the kind takes: of each group, at least one stands
	May  []string   // further keys
	// Broken gives the condition under which a call breaks a rule that applies to it. What the keys may hold follows from it:
	// flags of an integer, numbers beside a number, a pointer that may be NULL.
	Broken func(r *Rule) *Cond
	// Gates says that a rule of the kind says which bit of a mask a field needs.
	Gates bool
	// fill gives a rule what all of the kind say, where it says nothing else.
	fill func(r *Rule)
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
	Flags []string // names and numbers
	entry Entry    // that has the key
}

// RefAs is what a key of a rule takes.
type RefAs uint8

// What a key takes.
const (
	AsPath     RefAs = iota // a path of the arguments
	AsPlace                 // a path of the arguments, or a capability
	AsCap                   // a capability
	AsValue                 // an integer, a constant, "page" or a path of the arguments
	AsAllFlags              // flags that the rule cannot do without
	AsAnyFlags              // flags of which a release may lack some
	AsFlags                 // flags of which a release may lack all
	asEntries               // entries of their own
)

// at returns the place of one of the texts of an operand.
func (r Ref) at(text string) Pos { return r.entry.At(r.Key, text) }

// operands returns the operands of a key: one for each text, or one set of flags. No texts have none.
func operands(key string, as RefAs, texts []string, e Entry) []*Cond {
	ref := Ref{Key: key, As: as, entry: e}
	if as >= AsAllFlags && len(texts) > 0 {
		ref.Flags = texts
		return []*Cond{cond.Leaf(cond.Flags, ref)}
	}
	var out []*Cond
	for _, text := range texts {
		ref.Text = text
		out = append(out, cond.Leaf(cond.Operand, ref))
	}
	return out
}

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

// kindKeys are the keys whose use depends on the kind, and what they take.
var kindKeys = map[string]RefAs{
	"subject": AsPath, "fields": AsPath, "mask": AsPath, "log2": AsPath, "same_as": AsPath, "state": AsPath, "assumed": AsPath, "next": AsPath,
	"if": AsAnyFlags, "not": AsAnyFlags, "allow": AsAnyFlags,
	"need": AsAllFlags, "bit": AsAllFlags, "bits": AsAllFlags, "cap_has": AsAllFlags,
	"values": AsValue, "min": AsValue, "max": AsValue, "sum": AsValue, "to": AsValue,
	"cap": AsCap, "must": asEntries, "transitions": asEntries,
}

// Operands returns the operands that a key of a rule has; for a key of flags, the one set of them. A key that is not given has none.
func (r *Rule) Operands(key string) []*Cond {
	switch list := fieldOf(reflect.ValueOf(r).Elem(), key).Interface().(type) {
	case string:
		return operands(key, kindKeys[key], one(list), r.Entry)
	case []string:
		return operands(key, kindKeys[key], list, r.Entry)
	}
	return nil
}

// Operand returns the operand, or the set of flags, that a key has; nil for a key that is not given.
func (r *Rule) Operand(key string) *Cond {
	if all := r.Operands(key); len(all) > 0 {
		return all[0]
	}
	return nil
}

// Test is a test of what a key has with what another one has; nil when one of them is not given.
func (r *Rule) Test(of string, op cond.Op, with ...string) *Cond {
	sub := []*Cond{r.Operand(of)}
	for _, key := range with {
		sub = append(sub, r.Operand(key))
	}
	return cond.Test(op, sub...)
}

// Number is an operand that is a number.
func Number(text string) *Cond { return cond.Leaf(cond.Operand, Ref{As: AsValue, Text: text}) }

// Broken returns the condition under which a call breaks the rule: it applies, and is violated.
func (r *Rule) Broken() *Cond {
	violated := r.Violated()
	if violated == nil { // of a kind that there is not: it is never broken
		return nil
	}
	return cond.Of(cond.All, Conditions(r.When), violated)
}

// Violated returns the condition under which a call that the rule applies to breaks it.
func (r *Rule) Violated() *Cond {
	if k := byName[r.Kind]; k != nil {
		return k.Broken(r)
	}
	return nil
}

// Gates reports whether Bit of Mask is what the subject needs.
func (r *Rule) Gates() bool { return byName[r.Kind] != nil && byName[r.Kind].Gates }

// Conditions returns the condition that all of some comparisons hold; nil for none.
func Conditions(atoms []Atom) *Cond {
	var all []*Cond
	for i := range atoms {
		all = append(all, atoms[i].cond())
	}
	return cond.Of(cond.All, all...)
}

// cond returns the one test of a comparison.
func (a *Atom) cond() *Cond {
	of := operands("of", AsPlace, one(a.Of), a.Entry)
	for _, t := range []struct {
		key  string
		op   cond.Op
		as   RefAs
		with []string
	}{
		{"has", cond.Has, AsAnyFlags, a.Has}, {"all", cond.HasAll, AsAllFlags, a.All}, {"lacks", cond.Lacks, AsAnyFlags, a.Lacks},
		{"eq", cond.Eq, AsValue, one(a.Eq)}, {"ne", cond.Ne, AsValue, one(a.Ne)}, {"in", cond.In, AsValue, a.In},
		{"lt", cond.Lt, AsValue, one(a.Lt)}, {"le", cond.Le, AsValue, one(a.Le)}, {"gt", cond.Gt, AsValue, one(a.Gt)},
		{"ge", cond.Ge, AsValue, one(a.Ge)},
		{"same", cond.Same, AsPath, one(a.Same)},
	} {
		if len(t.with) > 0 {
			return cond.Test(t.op, append(of, operands(t.key, t.as, t.with, a.Entry)...)...)
		}
	}
	for _, t := range []struct {
		is      *bool
		yes, no cond.Op
	}{{a.Null, cond.Null, cond.NotNull}, {a.Set, cond.Set, cond.Unset}} {
		if t.is != nil && *t.is {
			return cond.Test(t.yes, of...)
		} else if t.is != nil {
			return cond.Test(t.no, of...)
		}
	}
	return nil
}

// wantsSubject reports whether a rule needs a subject too.
func (k *Kind) wantsSubject(rule *yaml.Node) bool {
	return slices.ContainsFunc(k.Must, func(group []string) bool {
		return slices.Contains(group, "subject") && !slices.ContainsFunc(group, func(name string) bool { return hasKey(rule, name) })
	})
}

// takes reports whether a rule of the kind may have a key.
func (k *Kind) takes(key string) bool {
	return slices.Contains(k.May, key) || slices.ContainsFunc(k.Must, func(group []string) bool { return slices.Contains(group, key) })
}
