package fit

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
)

// flags holds the values of a type of flags against its width.
func (c *checker) flags(t *spec.FlagType) {
	c.inRuntime(t.Runtime, t.Go, t.Pos)
	high := new(big.Int).SetUint64(1<<t.Bits - 1)
	e := c.facts.Enum(t.Enum)
	for _, name := range t.Ranges {
		if v := c.facts.Const(name); v != nil && v.IsUint64() && bits.OnesCount64(v.Uint64()) < 2 {
			c.fail(t.At("ranges", name), t.Go, "ranges: "+name+" is no range of bits", "list a single bit under members:")
		}
	}
	for _, name := range c.members(t.Enum, t.Members) {
		v := c.facts.Const(name)
		negative := v.Sign() < 0 && (t.Bits < 64 || e != nil && e.Signed) // bits of 64 may look negative
		switch {
		case negative:
			c.fail(t.MemberPos(name), t.Go, fmt.Sprintf("%s is %d, and a Go type of flags cannot hold a negative value", name, v),
				"leave it out of flags:")
		case v.Cmp(high) > 0:
			c.fail(t.MemberPos(name), t.Go, outOfRange(name, v, t.Bits, new(big.Int), high), "write bits: 64")
		}
	}
}

// runtimeTypes are the types of enums, flags and records that a package under runtime/ has. Pages take such a type over by
// runtime:, and cannot add to
// it: which there are is that package's matter. A test holds the list against its source.
var runtimeTypes = map[string][]string{"dpath": {"OpsFlags", "OpsOpcode", "OpsWR", "PlacementType", "RecvWR", "SGE",
	"SelectivityLevel", "SendFlags", "SendWR", "WC", "WCFlag", "WCOpcode", "WCStatus", "WROpcode"}}

// inRuntime finds a type that a package under runtime/ does not have.
func (c *checker) inRuntime(pkg, name string, at spec.Pos) {
	if pkg != "" && !slices.Contains(runtimeTypes[pkg], name) {
		c.fail(at, name, "runtime/"+pkg+" has no type of this name", "remove runtime:")
	}
}

// enum holds the values of a type of values against its width and sign.
func (c *checker) enum(t *spec.EnumType) {
	c.inRuntime(t.Runtime, t.Go, t.Pos)
	if k := form.FindCode(t.Code); k != nil && k.Bits != 32 && len(t.Members)+len(t.Enum) > 0 {
		c.fail(t.At("code", t.Code), t.Go, fmt.Sprintf("code: %s is for numbers of %d bits, and an enum has 32", t.Code, k.Bits),
			"remove code:, or the enum")
	}
	low, high := spec.CType{Kind: spec.CInt, Bits: 32, Signed: t.Signed}.Range()
	for _, name := range c.members(t.Enum, t.Members) {
		v := c.facts.Const(name)
		switch {
		case v.Cmp(low) >= 0 && v.Cmp(high) <= 0:
		case v.Sign() < 0 && !t.Signed:
			c.fail(t.MemberPos(name), t.Go, outOfRange(name, v, 32, low, high), "write signed: true")
		default:
			c.fail(t.MemberPos(name), t.Go, outOfRange(name, v, 32, low, high), "leave it out by naming the others under members:")
		}
	}
}

// members lists the members of a type that the header has: those that it names, or all of its enum.
func (c *checker) members(tag string, named []string) []string {
	var out []string
	if e := c.facts.Enum(tag); e != nil && len(named) == 0 {
		for _, m := range e.Enumerators {
			out = append(out, m.Name)
		}
	}
	for _, name := range named {
		if c.facts.Const(name) != nil {
			out = append(out, name)
		}
	}
	return out
}

func outOfRange(name string, v *big.Int, bits int, low, high *big.Int) string {
	return fmt.Sprintf("%s is %d, which a Go type of %d bits cannot have (%d to %d)", name, v, bits, low, high)
}
