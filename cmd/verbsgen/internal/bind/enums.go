package bind

import (
	"math/big"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindEnums makes the Go types of flags and enums.
func (b *binder) bindEnums() {
	for _, p := range b.in.Spec.Pages {
		for _, f := range p.Flags {
			b.bindFlags(p, f)
		}
		for _, e := range p.Enums {
			b.bindEnum(p, e)
		}
	}
}

func (b *binder) bindFlags(p *spec.Page, f spec.FlagType) {
	e := &model.Enum{Go: f.Go, Page: p.Page, Flags: true, Bits: f.Bits, Prefix: f.Prefix, Runtime: f.Runtime,
		Doc: f.Doc, Pos: pos(f.Pos)}
	if f.Enum != "" {
		e.C = "enum " + f.Enum
	}
	if e.Bits == 0 {
		e.Bits = 32
	}
	members := f.Members
	if len(members) == 0 {
		members = b.enumeratorsOf(f.Enum)
	}
	b.addMembers(e, members, f.Names, f.Docs, f.MemberPos)
	for _, m := range e.Members {
		e.Known |= uint64(m.Value)
	}
	for _, r := range f.Ranges {
		if v, ok := b.lookup(r, f.Pos, f.Go); ok {
			e.Known |= uint64(v)
		}
	}
	b.addType(e)
}

func (b *binder) bindEnum(p *spec.Page, s spec.EnumType) {
	e := &model.Enum{Go: s.Go, Page: p.Page, Bits: 32, Signed: s.Signed, Prefix: s.Prefix, Runtime: s.Runtime, Code: s.Code,
		Doc: s.Doc, Pos: pos(s.Pos)}
	if s.Enum == "" && len(s.Members) == 0 {
		e.Bits = form.FindCode(s.Code).Bits
	}
	members := s.Members
	if s.Enum != "" {
		e.C = "enum " + s.Enum
		if len(members) == 0 {
			members = b.enumeratorsOf(s.Enum)
		}
	}
	b.addMembers(e, members, s.Names, s.Docs, s.MemberPos)
	for _, m := range e.Members {
		m.Likely = s.Likely[m.C]
	}
	b.addType(e)
}

// addType enters a type under its Go name.
func (b *binder) addType(e *model.Enum) {
	b.types[e.Go] = e
	b.pkg.Enums = append(b.pkg.Enums, e)
}

// enumeratorsOf lists the enumerators of a C enum; none when the release does not have it yet.
func (b *binder) enumeratorsOf(tag string) []string {
	e := b.facts.Enum(tag)
	if e == nil {
		return nil
	}
	var out []string
	for _, m := range e.Enumerators {
		out = append(out, m.Name)
	}
	return out
}

// addMembers adds the members that the release has.
func (b *binder) addMembers(e *model.Enum, members []string, names, docs map[string]string, at func(c string) spec.Pos) {
	seen, values := map[string]string{}, map[int64]bool{}
	for _, c := range members {
		v, ok := b.lookup(c, at(c), e.Go)
		if !ok {
			continue
		}
		m := &model.Member{C: c, Value: v, Go: model.MemberName(e.Go, e.Prefix, c), Short: short(e.Prefix, c), Doc: docs[c],
			Since: b.since(c), Alias: values[v],
			New: b.in.Since(c) == ""}
		if n := names[c]; n != "" {
			m.Go = n
		}
		if other := seen[m.Go]; other != "" {
			b.errorf(diag.GoNameTwice, at(c), m.Go, "both "+other+" and "+c+" get this Go name", "give one of them a name under names:")
		}
		seen[m.Go], values[v] = c, true
		e.Members = append(e.Members, m)
	}
}

// short is a C name as messages write it: without the prefix.
func short(prefix, c string) string {
	if len(c) > len(prefix) && c[:len(prefix)] == prefix {
		return c[len(prefix):]
	}
	return c
}

// lookup returns the value of an enumerator or macro. A name of a later release is left out in silence.
func (b *binder) lookup(c string, at spec.Pos, subject string) (int64, bool) {
	if n := b.facts.Const(c); n != nil {
		return int64(bits(n)), true
	}
	if !b.newer(c) {
		b.errorf(diag.NameUnknown, at, subject, "no constant "+c+" in this header", "correct the name")
	}
	return 0, false
}

// since returns the release that a name came with; empty when the oldest known release has it.
func (b *binder) since(name string) string {
	s := b.in.Since(name)
	if s == b.in.Oldest {
		return ""
	}
	return s
}

// bits are the 64 bits of a constant, negative or not.
func bits(n *big.Int) uint64 {
	if n.IsInt64() {
		return uint64(n.Int64())
	}
	return n.Uint64()
}

func pos(p spec.Pos) model.Pos {
	return model.Pos{File: p.File, Line: p.Line, Col: p.Col}
}
