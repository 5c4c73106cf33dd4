package explain

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Kinds of values.
type kind uint8

const (
	kInt    kind = iota // i
	kNull               // NULL
	kAny                // any valid value or object: name
	kStruct             // fields or properties: m
	kList               // l
	kText
	kUnknown // a value that the case has, and does not tell
)

// Unsaid is a value in a case that is given and not known, such as one that a program computes. It decides nothing: no rule is broken by
// what it may be.
type Unsaid struct{}

// val is a value of a case, of the type its place has.
type val struct {
	kind kind
	t    spec.CType
	i    *big.Int
	name string // of kAny, with the @; the text of kText
	m    map[string]*val
	l    []*val
}

// call is one case as it is judged.
type call struct {
	*Checker
	fn        *api.Function
	args      map[string]*val
	caps      map[string]*big.Int
	notes     []string // messages that change no verdict
	problems  []string
	misnamed  bool
	malformed bool
	deriving  map[string]bool // masks whose bits are being derived
	missing   bool            // a capability or a property that is not given was looked for
}

// noName says that the release has no such name: the verdict is unknown.
func (c *call) noName(path, problem, fix string) {
	c.problem(path, problem, fix)
	c.misnamed = true
}

// bad says that a value cannot be what the place takes.
func (c *call) bad(path, problem, fix string) {
	c.problem(path, problem, fix)
	c.malformed = true
}

func (c *call) problem(path, problem, fix string) {
	msg := c.fn.Name + ": " + path + ": " + problem
	if fix != "" {
		msg += "; " + fix
	}
	c.problems = append(c.problems, msg)
}

// value turns a value of a case into one of the type; nil when it cannot.
func (c *call) value(path string, t spec.CType, v any) *val {
	switch v := v.(type) {
	case nil:
		return c.null(path, t)
	case string:
		return c.text(path, t, strings.TrimSpace(v))
	case bool:
		if v {
			return c.integer(path, t, big.NewInt(1))
		}
		return c.integer(path, t, new(big.Int))
	case []any:
		return c.list(path, t, v)
	case map[string]any:
		return c.fields(path, t, v)
	case Unsaid:
		return &val{kind: kUnknown, t: t, i: new(big.Int)}
	}
	if i := toInt(v); i != nil {
		return c.integer(path, t, i)
	}
	c.bad(path, fmt.Sprintf("a value of Go type %T", v), "write an integer, a name, a mapping or a list")
	return nil
}

// toInt returns the integer that a number of Go is.
func toInt(v any) *big.Int {
	switch v := v.(type) {
	case *big.Int:
		return v
	case int:
		return big.NewInt(int64(v))
	case int64:
		return big.NewInt(v)
	case uint64:
		return new(big.Int).SetUint64(v)
	case float64:
		if i, acc := big.NewFloat(v).Int(nil); acc == big.Exact {
			return i
		}
	}
	return nil
}

func (c *call) null(path string, t spec.CType) *val {
	if t.Kind == spec.CInt || t.Kind == spec.CStruct && !t.Pointer {
		c.bad(path, "null where "+article(t)+" belongs", "write a value, or leave it out")
		return nil
	}
	return &val{kind: kNull, t: t, i: new(big.Int)}
}

// article names a type in words.
func article(t spec.CType) string {
	switch t.Kind {
	case spec.CInt:
		return "an integer"
	case spec.CObject:
		return "an object"
	case spec.CStruct:
		return "a struct"
	case spec.CAddr:
		return "an address"
	}
	return "a value of type " + t.C
}

// integer fits an integer into the type as C converts it: modulo the width, after which it must still be the number
// that was written, as signed or as unsigned.
func (c *call) integer(path string, t spec.CType, i *big.Int) *val {
	bits, signed := t.Bits, t.Signed
	switch t.Kind {
	case spec.CInt:
	case spec.CAddr, spec.CFunc, spec.CObject, spec.CText, spec.COther:
		bits, signed = 64, false
		if i.Sign() == 0 {
			return c.null(path, t)
		}
	case spec.CStruct:
		if t.Pointer && i.Sign() == 0 {
			return c.null(path, t)
		}
		c.bad(path, "an integer where "+article(t)+" belongs", "write {field: value}")
		return nil
	}
	one := big.NewInt(1)
	low := new(big.Int).Neg(new(big.Int).Lsh(one, bits-1))
	end := new(big.Int).Lsh(one, bits)
	if i.Cmp(low) < 0 || i.Cmp(end) >= 0 {
		fix := "the largest is " + new(big.Int).Sub(end, one).String()
		if i.Sign() < 0 {
			fix = "the smallest is " + low.String()
		}
		c.bad(path, fmt.Sprintf("%s does not fit in %s", short(i), t.C), fix)
		return nil
	}
	i = new(big.Int).Mod(i, end)
	if signed && i.Bit(int(bits-1)) == 1 {
		i.Sub(i, end)
	}
	return &val{kind: kInt, t: t, i: i}
}

// short writes an integer, one of very many digits by its first ones.
func short(i *big.Int) string {
	const most = 40
	if i.BitLen() > 16384 {
		return fmt.Sprintf("a number of %d bits", i.BitLen())
	}
	s := i.String()
	if len(s) > most {
		s = fmt.Sprintf("%s... (%d digits)", s[:most/2], len(strings.TrimPrefix(s, "-")))
	}
	return s
}

// text reads a name: any valid value, NULL, or constants and numbers joined by |.
func (c *call) text(path string, t spec.CType, s string) *val {
	if strings.HasPrefix(s, "@") {
		return &val{kind: kAny, t: t, name: s}
	}
	if t.Kind == spec.CText || t.Array || t.Kind == spec.CStruct && !t.Pointer {
		if s != "NULL" {
			return &val{kind: kText, t: t, name: s}
		}
	}
	i := c.flags(path, t, strings.Split(s, "|"))
	if i == nil {
		return nil
	}
	return c.integer(path, t, i)
}

// flags ors names and numbers; nil when one of them is neither.
func (c *call) flags(path string, t spec.CType, parts []string) *big.Int {
	sum := new(big.Int)
	for _, p := range parts {
		p = strings.TrimSpace(p)
		i, ok := spec.ParseInt(p)
		if !ok {
			i = c.constantAt(p, path, t)
		}
		if i == nil {
			c.noName(path, fmt.Sprintf("%s has no constant %s", c.of(), quoted(p)), c.suggestConstant(p, path, t))
			return nil
		}
		if len(parts) == 1 {
			return i
		}
		sum.Or(sum, i)
	}
	return sum
}

// constant is a constant of C, or the host's page size.
func (c *call) constant(name string) *big.Int {
	if name == "page" {
		return pageSize()
	}
	return c.facts.Const(name)
}

// likely lists the constants that a place takes, as far as it is known, else all.
func (c *call) likely(path string, t spec.CType) []string {
	if e := c.enumAt(path, t); e != nil {
		return e.Names()
	}
	return c.facts.ConstNames()
}

// list reads a list: flags of an integer, the count of objects, or the elements of an array or a chain.
func (c *call) list(path string, t spec.CType, l []any) *val {
	if t.Kind == spec.CInt && !t.Array {
		return c.intList(path, t, l)
	}
	if len(l) > 1<<16 {
		c.bad(path, "more than 65536 elements", "give fewer")
		return nil
	}
	out := &val{kind: kList, t: t}
	elem := c.facts.Element(t)
	for i, v := range l {
		at := fmt.Sprintf("%s[%d]", path, i)
		e := c.value(at, elem, v)
		if e == nil {
			return nil
		}
		out.l = append(out.l, e)
	}
	return out
}

// intList reads flags given one by one; a list of objects is their count.
func (c *call) intList(path string, t spec.CType, l []any) *val {
	sum, objects := new(big.Int), 0
	for _, v := range l {
		switch v := v.(type) {
		case map[string]any:
			objects++
			continue
		case string:
			if strings.HasPrefix(v, "@") {
				objects++
				continue
			}
			i := c.flags(path, t, strings.Split(v, "|"))
			if i == nil {
				return nil
			}
			sum.Or(sum, i)
			continue
		}
		i := toInt(v)
		if i == nil {
			c.bad(path, "a list where names and numbers belong", "write one list of them")
			return nil
		}
		sum.Or(sum, i)
	}
	if objects > 0 {
		if objects != len(l) {
			c.bad(path, "objects and numbers in one list", "write flags only, or objects only")
			return nil
		}
		sum = big.NewInt(int64(objects))
	}
	return c.integer(path, t, sum)
}

// fields reads a mapping: the fields of a struct, or the properties of an object.
func (c *call) fields(path string, t spec.CType, m map[string]any) *val {
	if t.Kind != spec.CStruct && t.Kind != spec.CObject {
		c.bad(path, "a mapping where "+article(t)+" belongs", "write a number or a name")
		return nil
	}
	out := &val{kind: kStruct, t: t, m: map[string]*val{}}
	ok := true
	isC := func(name string) bool { _, ok := c.facts.Member(t, name); return ok }
	m = c.embedded(t, c.inC(m, isC, func() map[string]string { return c.fieldsInGo(t) }))
	tail, behind := c.tail(t)
	for _, name := range sortedKeys(m) {
		at := path + "." + name
		ft, known := c.facts.Member(t, name)
		if !known && tail != nil && name == behind {
			continue
		}
		if !known {
			fix := spec.DidYouMean(name, slices.Concat(c.facts.Members(t), sortedKeys(c.fieldsInGo(t))))
			if t.Kind == spec.CObject && fix == "" {
				c.notes = append(c.notes, fmt.Sprintf("%s: %s: no rule uses this property; it is ignored%s", c.fn.Name, at, c.asCap(at, m[name])))
				continue
			}
			problem := fmt.Sprintf("%s has no field %s in %s", c.of(), quoted(name), t.C)
			switch {
			case len(c.facts.Members(t)) == 0:
				problem, fix = c.closed(t), "give no field of it, or \"@\" and a name for a valid one"
			case fix == "":
				fix = "the fields are " + strings.Join(c.facts.Members(t), ", ")
			}
			c.noName(at, problem, fix)
			ok = false
			continue
		}
		v := c.value(at, ft, m[name])
		ok = ok && v != nil
		out.m[name] = v
	}
	if lent := c.lent(t); lent != "" && len(m) > 0 && !c.looked(path) {
		c.notes = append(c.notes, fmt.Sprintf("%s: %s: its fields are not judged: %s", c.fn.Name, path, lent))
	}
	if !ok || !c.behind(path, t, m, out.m) {
		return nil
	}
	return out
}

// closed says why a struct has no fields that a call could give.
func (c *call) closed(t spec.CType) string {
	if lent := c.lent(t); lent != "" {
		return lent
	}
	return c.of() + " has no fields of " + t.C
}

// lent says of a struct that another module describes that this module's rules do not look into it, or returns "".
func (c *call) lent(t spec.CType) string {
	m := c.spec.Module
	for _, u := range m.Uses {
		if u.Spec.RecordByC(t.Tag) != nil {
			return t.C + " is of module " + u.Name + ", and no rule of module " + m.Name + " looks into it"
		}
	}
	return ""
}

// looked reports whether a rule of the verb reads a field of a struct.
func (c *call) looked(path string) bool {
	for _, r := range c.spec.Rules() {
		if r.Verb != c.fn.Name {
			continue
		}
		for n := range r.Broken().Nodes() {
			if strings.HasPrefix(n.Of.Text, path+".") {
				return true
			}
		}
	}
	return false
}

// embedded moves what is said of an object that begins with another one, as ibv_qp_ex with ibv_qp, to the field that holds the other one.
func (c *call) embedded(t spec.CType, m map[string]any) map[string]any {
	if t.Kind != spec.CObject {
		return m
	}
	for _, field := range c.facts.Members(t) {
		ft, _ := c.facts.Member(t, field)
		if ft.Kind != spec.CStruct || !c.facts.IsObject(ft.Tag) || m[field] != nil {
			continue
		}
		outer, inner := map[string]any{}, map[string]any{}
		for name, v := range m {
			_, own := c.facts.Member(t, name)
			if _, its := c.facts.Member(ft, name); its && !own {
				inner[name] = v
			} else {
				outer[name] = v
			}
		}
		if len(inner) > 0 {
			outer[field] = inner
		}
		return outer
	}
	return m
}

// asCap reports where a property that is a capability belongs.
func (c *call) asCap(at string, v any) string {
	m, _ := v.(map[string]any)
	for _, name := range sortedKeys(m) {
		if _, _, err := c.facts.CapType(at + "." + name); err == nil {
			return ": it is a capability, " + at + "." + name + " in caps"
		}
	}
	return ""
}
