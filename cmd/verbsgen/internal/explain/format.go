package explain

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// message writes `VERB: SUBJECT VALUE: STATEMENT, LIMIT; FIX [ID]`, as the errors of generated code do.
func message(r *spec.Rule, w broken, limit string) string {
	var b strings.Builder
	b.WriteString(r.Verb)
	if w.subject != "" {
		b.WriteString(": " + w.subject)
		if w.value != "" {
			b.WriteString(" " + w.value)
		}
	}
	fmt.Fprintf(&b, ": %s%s; %s [%s]", r.Statement, limit, r.Fix, r.ID)
	return b.String()
}

// whoAccepts says what is known of a lint: who accepts and who refuses the call, or else why it is a lint.
func whoAccepts(r *spec.Rule, counts func(*spec.Party) bool) string {
	var accepted, refused []string
	for i := range r.AcceptedBy {
		if p := &r.AcceptedBy[i]; counts(p) {
			accepted = append(accepted, p.Describe())
		}
	}
	for i := range r.RefusedBy {
		if p := &r.RefusedBy[i]; counts(p) {
			refused = append(refused, p.String())
		}
	}
	out := ""
	if len(accepted) > 0 {
		out += "; accepted by " + strings.Join(accepted, ", ")
	}
	if len(refused) > 0 {
		out += "; refused by " + strings.Join(refused, ", ")
	}
	if out == "" && r.Note != "" {
		out = "; only a warning: " + r.Note
	}
	return out
}

// witness reports the place and the value that a message about a broken rule shows: of its subject, else of what the first of its
// tests looks at. A capability is no place of the call.
func (c *call) witness(r *spec.Rule, b binding) *broken {
	violated := c.usable[r].violated
	of := r.Operand("subject")
	if of == nil {
		of = violated.Subject()
	}
	w := &broken{}
	switch {
	case of.Op == cond.Given:
		w.subject = places(of.Sub, ", ", b)
	case of.Op == cond.Sum:
		i, _ := c.number(of, b)
		w.subject, w.value = places(of.Sub, " + ", b), i.String()
	case of.Op == cond.Operand && of.Of.As != spec.AsCap:
		w.subject, w.value = place(of.Of.Text, b), c.show(c.at(of, b))
	}
	for n := range violated.Nodes() {
		if n.Op == cond.BadTransition {
			w.value = c.showTransition(n, b)
		}
	}
	return w
}

func places(paths []*spec.Cond, sep string, b binding) string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = place(p.Of.Text, b)
	}
	return strings.Join(out, sep)
}

// show writes the value at a place: flags as names and hex, values of enums as names, addresses in hex.
func (c *call) show(r ref) string {
	if r.v == nil {
		return ""
	}
	switch r.v.kind {
	case kNull:
		return "NULL"
	case kAny, kText:
		return r.v.name
	case kInt:
	default:
		return ""
	}
	i, names := r.v.i, c.namesAt(r.path, r.v.t)
	switch {
	case names != nil && names.flags:
		u, _ := bits(r)
		return fail.FlagText(word(u), names.list())
	case names != nil:
		for _, m := range names.enum.Enumerators {
			if big.NewInt(m.Value).Cmp(i) == 0 {
				return strings.TrimPrefix(m.Name, names.prefix)
			}
		}
	case r.v.t.Kind != spec.CInt, strings.Contains(r.path, "iova"), strings.HasSuffix(r.path, "_mask"):
		return "0x" + i.Text(16)
	}
	return i.String()
}

// names is how the values at a place are called.
type names struct {
	enum   *api.Enum
	prefix string
	flags  bool
}

func (n *names) list() []fail.Flag {
	var out []fail.Flag
	for _, m := range n.enum.Enumerators {
		out = append(out, fail.Flag{Bits: uint64(m.Value), Name: strings.TrimPrefix(m.Name, n.prefix)})
	}
	return out
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// namesAt finds the names of the values at a path: from the types of the spec, the mask's bits, the C type, or the
// flags of the rules about it. Nil when they have none.
func (c *call) namesAt(path string, t spec.CType) *names {
	path = index.ReplaceAllString(path, "[]")
	if n := c.specNames(path); n != nil {
		return n
	}
	if e := c.tested[c.fn.Name][path]; e != nil {
		return &names{e, prefixOf(e), true}
	}
	if t.Kind == spec.CInt && t.Tag != "" {
		if e := c.facts.Enum(t.Tag); e != nil {
			return &names{e, prefixOf(e), false}
		}
	}
	return nil
}

// findTested notes of what enum the flags are that a rule tests at a path.
func (k *Checker) findTested(r *spec.Rule, violated *spec.Cond) {
	for n := range violated.Nodes() {
		if !n.Op.OfFlags() {
			continue
		}
		if k.tested[r.Verb] == nil {
			k.tested[r.Verb] = map[string]*api.Enum{}
		}
		path := n.Sub[0].Of.Text
		for _, f := range n.Sub[1].Of.Flags {
			if k.tested[r.Verb][path] == nil {
				k.tested[r.Verb][path] = k.facts.EnumOf(f)
			}
		}
	}
}

// specNames looks in the types that the spec gives to parameters and fields.
func (c *call) specNames(path string) *names {
	v := c.spec.VerbByC(c.fn.Name)
	if v == nil {
		return nil
	}
	root, field, nested := strings.Cut(path, ".")
	for i := range v.Params {
		p := &v.Params[i]
		if p.C != strings.TrimSuffix(root, "[]") {
			continue
		}
		if !nested {
			return c.typeNames(p.Type)
		}
		rec := c.spec.RecordByGo(p.Type)
		if rec == nil {
			return nil
		}
		for _, f := range rec.Fields {
			if f.C == field {
				return c.typeNames(f.Type)
			}
			if rec.Mask == field && f.Bit != "" && c.facts.EnumOf(f.Bit) != nil {
				e := c.facts.EnumOf(f.Bit)
				return &names{e, prefixOf(e), true}
			}
		}
	}
	return nil
}

// typeNames returns the names of a flag or enum type of the spec.
func (c *call) typeNames(goName string) *names {
	if t := c.spec.FlagByGo(goName); t != nil {
		if e := c.facts.Enum(t.Enum); e != nil {
			return &names{e, t.Prefix, true}
		}
	}
	if t := c.spec.EnumByGo(goName); t != nil {
		if e := c.facts.Enum(t.Enum); e != nil {
			return &names{e, t.Prefix, false}
		}
	}
	return nil
}

// prefixOf is what the names of an enum begin with, up to an underscore.
func prefixOf(e *api.Enum) string {
	if len(e.Enumerators) == 0 {
		return ""
	}
	p := e.Enumerators[0].Name
	for _, m := range e.Enumerators[1:] {
		for !strings.HasPrefix(m.Name, p) {
			p = p[:len(p)-1]
		}
	}
	return p[:strings.LastIndexByte(p, '_')+1]
}

// enumAt is the enum whose names a place takes, or nil.
func (c *call) enumAt(path string, t spec.CType) *api.Enum {
	if n := c.namesAt(path, t); n != nil {
		return n.enum
	}
	return nil
}

// quoted writes a name of a case, in quotes unless it is a plain word.
func quoted(s string) string {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
