package gogen

import (
	"github.com/dave/jennifer/jen"

	"maps"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// This file has the marks of a handle: properties that successful calls set, for rules on later calls.

// markedProps are the properties of an object that calls set.
func markedProps(o *model.Object) (out []string) {
	for _, prop := range slices.Sorted(maps.Keys(o.State)) {
		if o.State[prop] == spec.StateMarks {
			out = append(out, prop)
		}
	}
	return out
}

// setMarks sets the marks of a new handle.
func setMarks(handle string, marks []model.Mark) (out []jen.Code) {
	for _, m := range marks {
		out = append(out, id(handle, naming.Local(m.Prop), "Set").Call(jen.Lit(m.Set)))
	}
	return out
}

// begin makes the marks that a call sets unknown: they stay so if it fails, as the library may have done a part of it.
func (c *call) begin() (out []jen.Code) {
	if c.v.Creates == nil && c.recv != nil {
		for _, m := range c.v.Marks {
			out = append(out, id(c.self+"."+naming.Local(m.Prop)+".Begin").Call())
		}
	}
	return out
}

// marked sets the marks of the receiver after success.
func (c *call) marked() []jen.Code {
	if c.v.Creates != nil || c.recv == nil {
		return nil
	}
	return setMarks(c.self, c.v.Marks)
}
