package bind

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// bindEnums makes the Go types of flags and enums.
func (b *binder) bindEnums() {
	for _, p := range b.Pages {
		each(p.Flags, func(f *spec.FlagType) { b.bindFlags(p, f) })
		each(p.Enums, func(e *spec.EnumType) { b.bindEnum(p, e) })
	}
}

const leaveOut = "leave it out by naming the others under members:"

// values are the numbers that a Go type can have, with what to do about one below and above.
type values struct {
	low, high    *big.Int
	below, above string
}

func (b *binder) bindFlags(p *spec.Page, f *spec.FlagType) {
	e := &model.Enum{Go: f.Go, Page: b.page(p.Page), Flags: true, Bits: cmp.Or(f.Bits, 32), Prefix: f.Prefix, Runtime: f.Runtime,
		Doc: f.Doc, Pos: api.Pos(f.Pos)}
	low, high := spec.CType{Kind: spec.CInt, Bits: uint(f.Bits)}.Range()
	if f.Bits == 64 && !orZero(b.facts.Enum(f.Enum)).Signed { // bit 63 may look negative
		low = new(big.Int).Neg(high)
	}
	b.addMembers(e, f.Enum, f.Members, f.Names, f.Docs, f.MemberPos, values{low, high, leaveOut, "write bits: 64"})
	for _, m := range e.Members {
		e.Known |= uint64(m.Value)
	}
	for _, r := range f.Ranges {
		if x := b.member(r); x != nil {
			e.Known |= uint64(x.Value)
			b.wrong(entry{f.Go, f.At}.on(f.At("ranges", r)), row{bits.OnesCount64(uint64(x.Value)) < 2, "ranges",
				"ranges: " + r + " is no range of bits", "list a single bit under members:"})
		}
	}
}

func (b *binder) bindEnum(p *spec.Page, s *spec.EnumType) {
	e := &model.Enum{Go: s.Go, Page: b.page(p.Page), Bits: 32, Signed: s.Signed, Untyped: s.Untyped, Prefix: s.Prefix, Runtime: s.Runtime,
		Code: s.Code, Doc: s.Doc, Pos: api.Pos(s.Pos)}
	k, named := form.FindCode(s.Code), len(s.Members)+len(s.Enum) > 0
	if !named {
		e.Bits = k.Bits
	}
	b.wrong(entry{s.Go, s.At}, row{k != nil && k.Bits != 32 && named, "code",
		fmt.Sprintf("code: %s is for numbers of %d bits, and an enum has 32", s.Code, orZero(k).Bits), "remove code:, or the enum"})
	low, high := spec.CType{Kind: spec.CInt, Bits: 32, Signed: s.Signed}.Range()
	of := values{low, high, "write signed: true", leaveOut}
	if s.Untyped {
		of.low, of.high = spec.CType{Kind: spec.CInt, Bits: 64, Signed: true}.Range()
	}
	if s.Signed || s.Untyped {
		of.below = leaveOut
	}
	b.addMembers(e, s.Enum, s.Members, s.Names, s.Docs, s.MemberPos, of)
	for _, m := range e.Members {
		m.Likely = s.Likely[m.C]
	}
	if s.Untyped { // nothing can be of it
		delete(b.types, s.Go)
	}
}

// addMembers enters a type, with the members that the release has: those that the page names, or all of the C enum.
func (b *binder) addMembers(e *model.Enum, tag string, members []string, names, docs map[string]string,
	at func(c string) spec.Pos, of values) {
	b.types[e.Go] = e
	b.pkg.Enums = append(b.pkg.Enums, e)
	b.inRuntime(e.Runtime, e.Go, spec.Pos(e.Pos))
	if tag != "" {
		e.C = "enum " + tag
	}
	if len(members) == 0 {
		for _, m := range orZero(b.facts.Enum(tag)).Enumerators {
			members = append(members, m.Name)
		}
	}
	seen, has := map[string]string{}, map[int64]bool{}
	for _, c := range members {
		m := b.member(c)
		if m == nil {
			continue
		}
		n := b.facts.Const(c)
		problem := fmt.Sprintf("%s is %d, which the Go type cannot have (%d to %d)", c, n, of.low, of.high)
		b.wrong(entry{name: e.Go}.on(at(c)), row{n.Cmp(of.low) < 0, "", problem, of.below}, row{n.Cmp(of.high) > 0, "", problem, of.above})
		m.Go, m.Short = cmp.Or(names[c], model.MemberName(e.Go, e.Prefix, c)), cmp.Or(strings.TrimPrefix(c, e.Prefix), c)
		m.Doc, m.Since, m.Alias = docs[c], b.since(c), has[m.Value]
		if other := seen[m.Go]; other != "" {
			b.errorf(diag.GoNameTwice, at(c), m.Go, "both "+other+" and "+c+" get this Go name", "give one of them a name under names:")
		}
		seen[m.Go], has[m.Value] = c, true
		e.Members = append(e.Members, m)
	}
}

// runtimeTypes are the types of enums, flags and records that a package under runtime/ has. Pages take such a type over by
// runtime:, and cannot add to it. A test compares the list with the source of the package.
var runtimeTypes = map[string][]string{"dpath": {"OpsFlags", "OpsOpcode", "OpsWR", "PlacementType", "RecvWR", "SGE",
	"SelectivityLevel", "SendFlags", "SendWR", "WC", "WCFlag", "WCOpcode", "WCStatus", "WROpcode"}}

// inRuntime finds a type that a package under runtime/ does not have.
func (b *binder) inRuntime(pkg, name string, at spec.Pos) {
	b.wrong(entry{name: name}.on(at), row{pkg != "" && !slices.Contains(runtimeTypes[pkg], name), "runtime",
		"runtime/gensupport/" + pkg + " has no type of this name", "remove runtime:"})
}

// member is the enumerator or macro of a name; nil where the release does not have it yet: that some release has it, the check of names
// has seen.
func (b *binder) member(c string) *model.Member {
	if n := b.facts.Const(c); n != nil {
		return &model.Member{C: c, Value: int64(bitsOf(n))}
	}
	return nil
}

// since returns the release that a name came with; empty when the oldest known release has it.
func (b *binder) since(name string) string {
	s := b.came[name]
	if s == b.oldest {
		return ""
	}
	return s
}

// bitsOf are the 64 bits of a constant, negative or not.
func bitsOf(n *big.Int) uint64 {
	if n.IsInt64() {
		return uint64(n.Int64())
	}
	return n.Uint64()
}
