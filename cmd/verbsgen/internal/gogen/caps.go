package gogen

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// capsFunc is the method of a device that returns its capabilities. A file that is written by hand has it.
const capsFunc = "capabilities"

// needsCaps reports whether a rule looks at capabilities.
func (e *emitter) needsCaps() bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool {
		return slices.ContainsFunc(v.Inputs(), func(o model.Operand) bool { return o.Kind == model.OpCap })
	})
}

// goneFunc is the method of a device that recognises that it was taken away.
const goneFunc = "gone"

// has reports whether a file of the package that is written by hand has a method of an object.
func (e *emitter) has(object, method string) bool {
	return slices.ContainsFunc(e.written, func(f *special.File) bool { return slices.Contains(f.Methods, object+"."+method) })
}

// noticesGone reports whether a device has goneFunc.
func (e *emitter) noticesGone() bool { return e.has(e.root(), goneFunc) }
