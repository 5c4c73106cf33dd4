package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file plans what a builder keeps for pointers in its struct: lists of handles, other records, and bytes in a nested record.

// Places are the methods by which a builder puts what C finds behind pointers in its place.
type Places struct{ Record *model.Record }

// PointedArms is the type that stands for any of several records that a field points to.
type PointedArms struct {
	Of   string
	Arms []*model.Record
}

// pointed plans the methods of a builder that points to records, or that another one points to.
func pointed(r *model.Record) []Decl {
	if r.Pointed || pointsOn(r) {
		return []Decl{Places{r}}
	}
	return nil
}

// pointsOn tells whether a builder has records behind pointers.
func pointsOn(r *model.Record) bool {
	return slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Points != nil })
}

// KeepsError tells whether a builder keeps the error of a value that does not fit.
func KeepsError(r *model.Record) bool { return hasInt(r) }

// pointedArms plans the types that stand for any of several records that fields point to, each once.
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

// setList sets a list of handles, a record behind a pointer, or bytes in an array. A record is copied, so that none can lead back to itself.
func setList(r *model.Record, f *model.Field, v string) []Step {
	keep := "a." + naming.Unexported(f.Go)
	switch {
	case f.Handles != nil:
		return []Step{set(keep, of("slices", "Clone", val(v)))}
	case f.Tag != nil:
		return []Step{set(keep, val(v))}
	case f.Points != nil:
		return []Step{set(keep, of("cmem", "Copy", val(v)))}
	}
	return []Step{FirstLong{v, r.Go + "." + f.Go, uint64(f.Leaf.Size)}, Do{of("cmem", "Fill", as(Address, "a.c."+f.Leaf.Go), val(v))},
		set("a.c."+f.Len.Go, Value{As: Length, Path: v, Type: f.Len.GoType})}
}

// nestedBytes are the fields of a nested record that are bytes behind a pointer; besideNested is where the outer builder keeps them.
func nestedBytes(f *model.Field) (out []*model.Field) {
	for _, x := range f.Nested.Fields {
		if x.Bytes && !x.Filled {
			out = append(out, x)
		}
	}
	return out
}

func besideNested(f, x *model.Field) string { return naming.Unexported(f.Go) + x.Go }

// alongNested takes what a nested builder v keeps beside its struct: bytes, and its error.
func alongNested(f *model.Field, v string) (out []Step) {
	for _, x := range nestedBytes(f) {
		out = append(out, set("a."+besideNested(f, x), val(v+"."+naming.Unexported(x.Go))))
	}
	if hasInt(f.Nested) {
		out = append(out, If{as(IsNil, "a.err"), []Step{set("a.err", val(v+".err"))}})
	}
	return out
}

// pointers puts what C reads behind the pointers of a copied mirror: lists of handles, which are entered, and other records.
func (c *call) pointers(attr, mirror string, r *model.Record) {
	pins := attr + "Pins"
	declared := false
	declare := func() {
		if !declared {
			c.pre = append(c.pre, KeepPins{pins})
		}
		declared = true
	}
	if pointsOn(r) {
		declare()
		c.pre = append(c.pre, Try{result(attr+".place", as(Address, mirror), as(Address, pins))})
	}
	for _, f := range r.Fields {
		switch {
		case f.Handles != nil:
			declare()
			s := EnterList{List: attr + "." + naming.Unexported(f.Go), What: f.C, Pins: pins, Into: attr + f.Go, Nodes: attr + f.Go + "Nodes",
				To: mirror + "." + f.Leaf.Go, Count: mirror + "." + f.Len.Go, Len: f.Len, Log2: f.Log2, Self: c.self, Root: c.root}
			c.under = append(c.under, s.Nodes)
			c.pre = append(c.pre, s)
		case f.Nested != nil:
			for _, x := range nestedBytes(f) {
				c.prep = append(c.prep, PinData{Into: mirror + "." + f.Leaf.Go + "." + x.Leaf.Go, Bytes: attr + "." + besideNested(f, x)})
			}
		}
	}
}

// Steps of lists and pointers.
type (
	// KeepPins declares pins, which end when the method returns.
	KeepPins struct{ Pins string }
	// EnterList begins the use of all handles of a list and collects their nodes. Each is of the same device. Their C objects go into a
	// list that C reads, and its length into the struct.
	EnterList struct {
		List, What, Pins, Into, Nodes string
		To, Count                     string // of the struct
		Len                           *model.Leaf
		Log2                          bool
		Self, Root                    string
	}
	// FirstWide keeps the first error of a value that is too great for C.
	FirstWide struct {
		Value, What string
		Most        uint64
	}
)

func (KeepPins) step()  {}
func (EnterList) step() {}
func (FirstWide) step() {}
