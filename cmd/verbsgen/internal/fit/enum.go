package fit

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// flags compares the values of a type of flags with its width.
func (c *checker) flags(t *spec.FlagType) {
	c.inRuntime(t.Runtime, t.Go, t.Pos)
	e := entry{t.Go, t.At}
	for _, name := range t.Ranges {
		v := c.facts.Const(name)
		c.all(e.on(t.At("ranges", name)), row{v != nil && v.IsUint64() && bits.OnesCount64(v.Uint64()) < 2, "ranges",
			"ranges: " + name + " is no range of bits", "list a single bit under members:"})
	}
	low, high := spec.CType{Kind: spec.CInt, Bits: uint(t.Bits)}.Range()
	if of := c.facts.Enum(t.Enum); t.Bits == 64 && (of == nil || !of.Signed) { // bit 63 may look negative
		low, _ = spec.CType{Kind: spec.CInt, Bits: 64, Signed: true}.Range()
	}
	c.values(e, t.MemberPos, c.members(t.Enum, t.Members), t.Bits, [2]*big.Int{low, high},
		[2]string{"leave it out by naming the others under members:", "write bits: 64"})
}

// enum compares the values of a type of values with its width and sign.
func (c *checker) enum(t *spec.EnumType) {
	c.inRuntime(t.Runtime, t.Go, t.Pos)
	e, k := entry{t.Go, t.At}, form.FindCode(t.Code)
	c.all(e, row{k != nil && k.Bits != 32 && len(t.Members)+len(t.Enum) > 0, "code",
		fmt.Sprintf("code: %s is for numbers of %d bits, and an enum has 32", t.Code, orZero(k).Bits), "remove code:, or the enum"})
	low, high := spec.CType{Kind: spec.CInt, Bits: 32, Signed: t.Signed}.Range()
	fixes := [2]string{"write signed: true", "leave it out by naming the others under members:"}
	if t.Signed {
		fixes[0] = fixes[1]
	}
	c.values(e, t.MemberPos, c.members(t.Enum, t.Members), 32, [2]*big.Int{low, high}, fixes)
}

// values reports members below and above a range, with a fix for each.
func (c *checker) values(e entry, at func(string) spec.Pos, names []string, bits int, ends [2]*big.Int, fixes [2]string) {
	for _, name := range names {
		v := c.facts.Const(name)
		problem := fmt.Sprintf("%s is %d, which a Go type of %d bits cannot have (%d to %d)", name, v, bits, ends[0], ends[1])
		c.all(e.on(at(name)), row{v.Cmp(ends[0]) < 0, "", problem, fixes[0]}, row{v.Cmp(ends[1]) > 0, "", problem, fixes[1]})
	}
}

// members lists the members of a type that the header has: those that it names, or all of its enum.
func (c *checker) members(tag string, named []string) []string {
	if len(named) == 0 {
		for _, m := range orZero(c.facts.Enum(tag)).Enumerators {
			named = append(named, m.Name)
		}
	}
	return slices.DeleteFunc(slices.Clone(named), func(name string) bool { return c.facts.Const(name) == nil })
}

// runtimeTypes are the types of enums, flags and records that a package under runtime/ has. Pages take such a type over by
// runtime:, and cannot add to it. A test compares the list with the source of the package.
var runtimeTypes = map[string][]string{"dpath": {"OpsFlags", "OpsOpcode", "OpsWR", "PlacementType", "RecvWR", "SGE",
	"SelectivityLevel", "SendFlags", "SendWR", "WC", "WCFlag", "WCOpcode", "WCStatus", "WROpcode"}}

// inRuntime finds a type that a package under runtime/ does not have.
func (c *checker) inRuntime(pkg, name string, at spec.Pos) {
	c.all(entry{name: name}.on(at), row{pkg != "" && !slices.Contains(runtimeTypes[pkg], name), "runtime",
		"runtime/" + pkg + " has no type of this name", "remove runtime:"})
}
