package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans what C finds behind pointers in a struct: lists of handles, other records, and bytes in a nested record.

// Places are the methods by which a record puts what C finds behind pointers in its place.
type Places struct{ Record *model.Record }

// PointedArms is the type that stands for any of several records that a field points to.
type PointedArms struct {
	Of   string
	Arms []*model.Record
}

// pointed plans the methods of a record that points to records, or that another one points to.
func pointed(r *model.Record) []Decl {
	if r.Pointed || pointsOn(r) {
		return []Decl{Places{r}}
	}
	return nil
}

// pointsOn reports whether a record has records behind pointers.
func pointsOn(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Points != nil })
}

// LeadsBack reports whether a record can point to one of its own type, and so, by others, to itself.
func LeadsBack(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return slices.Contains(f.Points, r) })
}

// pointedArms plans the interface types of fields that point to one of several records, each once.
func (b *builder) pointedArms() (out []Decl) {
	seen := map[string]bool{}
	for _, r := range b.pkg.Records {
		for _, f := range r.Fields {
			if f.Tag != nil && !seen[f.PointsTo] {
				seen[f.PointsTo] = true
				out = append(out, PointedArms{f.PointsTo, f.Points})
			}
		}
	}
	return out
}

// NestedBytes are the fields of a nested record that are bytes behind a pointer.
func NestedBytes(f *model.Field) (out []*model.Field) {
	for _, x := range f.Nested.Fields {
		if x.Bytes && !x.Filled {
			out = append(out, x)
		}
	}
	return out
}

// pointers puts what C reads behind the pointers of a copied mirror: lists of handles, which are entered, and other records.
func (c *call) pointers(attr, mirror string, r *model.Record) {
	pins := attr + "Pins"
	declared := false
	declare := func() {
		if !declared {
			c.pre = append(c.pre, Until{Var{Name: pins, Type: "mem.Pins"}, "Unpin"})
		}
		declared = true
	}
	if pointsOn(r) {
		declare()
		c.pre = append(c.pre, Try{Call: result(attr+".place", addr(mirror), addr(pins))})
	}
	for _, f := range r.Fields {
		switch {
		case f.Handles != nil:
			declare()
			list := c.enterList(attr+f.Go, attr+"."+Kept(r, f), f.C, f.Handles)
			list.Pins, list.To, list.Count, list.Len, list.Log2 = pins, mirror+"."+f.Leaf.Go, mirror+"."+f.Len.Go, f.Len, f.Log2
			c.pre = append(c.pre, list)
		case f.Nested != nil:
			for _, x := range NestedBytes(f) {
				c.prep = append(c.prep, PinData{Into: mirror + "." + f.Leaf.Go + "." + x.Leaf.Go, Bytes: attr + "." + KeptIn(r, f, x)})
			}
		}
	}
}
