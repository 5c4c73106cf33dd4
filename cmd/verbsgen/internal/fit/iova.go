package fit

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// iova holds where addresses in a new memory region begin against the header and the object.
func (c *checker) iova(v *spec.Verb, fn *api.Function) {
	o := c.ObjectByGo(v.Creates)
	region := o != nil && o.Region != nil
	switch {
	case region && len(v.IOVA) == 0:
		c.fail(v.At("creates", v.Creates), v.C, "it makes a memory region, and iova: does not say where addresses in it begin",
			"name the parameter or field under iova:, or write zero or unknown")
		return
	case !region && len(v.IOVA) > 0:
		c.fail(v.At("iova", v.IOVA[0]), v.C, "it has iova:, and makes no memory region", "remove iova:")
		return
	}
	for i, path := range v.IOVA {
		at := v.At("iova", path)
		if path == spec.IOVAZero || path == spec.IOVAUnknown {
			if len(v.IOVA) > 1 {
				c.fail(at, v.C, "iova: "+path+" stands beside others", "keep one of them")
			}
			continue
		}
		t, _, err := c.facts.TypeOfPath(fn, path)
		switch last := i == len(v.IOVA)-1; {
		case err != nil: // reported elsewhere
		case !t.Pointer && (!isInt(t) || t.Bits != 64 || t.Signed):
			c.fail(at, v.C, "iova: "+path+" is of type "+t.C+", and an address is a pointer, or has 64 bits without a sign", "correct iova:")
		case !last && !c.maybeGiven(v, path):
			c.fail(at, v.C, "iova: "+path+" is always given, so that what is behind it never counts", "let it be the last")
		}
	}
}

// maybeGiven reports whether a bit says that a field of a record is given.
func (c *checker) maybeGiven(v *spec.Verb, path string) bool {
	param, field, _ := strings.Cut(path, ".")
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool {
		r := c.RecordByGo(p.Type)
		return p.C == param && r != nil && slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.C == field && f.Bit != "" })
	})
}
