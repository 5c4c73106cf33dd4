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
	if t.Bits == 64 && !orZero(c.facts.Enum(t.Enum)).Signed { // bit 63 may look negative
		low = new(big.Int).Neg(high)
	}
	c.values(e, t.MemberPos, t.Enum, t.Members, low, high, leaveOut, "write bits: 64")
}

// enum compares the values of a type of values with its width and sign.
func (c *checker) enum(t *spec.EnumType) {
	c.inRuntime(t.Runtime, t.Go, t.Pos)
	e, k := entry{t.Go, t.At}, form.FindCode(t.Code)
	c.all(e, row{k != nil && k.Bits != 32 && len(t.Members)+len(t.Enum) > 0, "code",
		fmt.Sprintf("code: %s is for numbers of %d bits, and an enum has 32", t.Code, orZero(k).Bits), "remove code:, or the enum"})
	low, high := spec.CType{Kind: spec.CInt, Bits: 32, Signed: t.Signed}.Range()
	below := "write signed: true"
	if t.Signed {
		below = leaveOut
	}
	c.values(e, t.MemberPos, t.Enum, t.Members, low, high, below, leaveOut)
}

const leaveOut = "leave it out by naming the others under members:"

// values reports members of a type, those that it names or all of its enum, below and above a range, with a fix for each.
func (c *checker) values(e entry, at func(string) spec.Pos, tag string, names []string, low, high *big.Int, below, above string) {
	if len(names) == 0 {
		for _, m := range orZero(c.facts.Enum(tag)).Enumerators {
			names = append(names, m.Name)
		}
	}
	for _, name := range names {
		if v := c.facts.Const(name); v != nil {
			problem := fmt.Sprintf("%s is %d, which the Go type cannot have (%d to %d)", name, v, low, high)
			c.all(e.on(at(name)), row{v.Cmp(low) < 0, "", problem, below}, row{v.Cmp(high) > 0, "", problem, above})
		}
	}
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
