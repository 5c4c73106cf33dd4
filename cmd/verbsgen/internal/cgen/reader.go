package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// reading is what the template of a reader reads.
type reading struct {
	*model.Lazy
	Attr, Start string // what reading begins with
	Few         string // the first fields that must be asked for
	Empty       string
	OK          *readField
	Fields      []*readField
}

// readField is one field of an entry.
type readField struct {
	*model.LazyField
	Type, Bit          string // the bit is empty of a field that is always read
	Swap               string // the flag with which it is swapped
	Bits               int64
	WhenOK, WhenFailed bool
	Clear              bool // nothing is there to be read unless the entry failed
	Value, Name        string
	Gets               []*model.LazyField // from the struct that the function fills, with those of the fields behind this one
	Got                bool               // by a field before this one
}

// readerShim describes the C function of a reader.
func readerShim(v *model.Verb) (shim, error) {
	s := shim{C: v.C, Result: "void ", Gated: "a reader",
		Params: "uint8_t *gate_, uint64_t fields_, uint8_t *entries_, int64_t room_, int64_t tries_, uint8_t *answer_"}
	r := reading{Lazy: v.Reads, Attr: strings.TrimSpace(strings.TrimSuffix(v.Params[1].CType, "*")), Start: v.Dispatch.Op, Empty: v.Empty}
	ok, few, bits := v.Reads.OK(), uint64(0), 0
	for _, f := range v.Reads.Fields {
		x := &readField{LazyField: f, Type: fmt.Sprintf("uint%d_t", 8*f.Size), Bits: 8 * f.Size, WhenOK: f != ok && f.Failed != spec.FailedOnly,
			WhenFailed: f != ok && (f.Failed != "" || !f.Func), Clear: f.Failed == spec.FailedOnly}
		if f.Bit != nil {
			x.Bit = fmt.Sprintf("%#x", uint64(f.Bit.Value))
			if bits++; bits <= 4 {
				few |= uint64(f.Bit.Value)
			}
		}
		if f.SwapIf != nil {
			x.Swap = fmt.Sprintf("%#x", uint64(f.SwapIf.Value))
		}
		if f.Fills != "" {
			by := x
			if i := slices.IndexFunc(r.Fields, func(b *readField) bool { return b.C == f.C && b.Gets != nil }); i >= 0 {
				by, x.Got = r.Fields[i], true
			}
			by.Gets = append(by.Gets, f)
		}
		if f == ok {
			x.Value, x.Name = fmt.Sprint(f.OK.Value), f.OK.C
			r.OK = x
		}
		r.Fields = append(r.Fields, x)
	}
	r.Few = fmt.Sprintf("%#x", few)
	var err error
	if s.Before, err = fill("reader_loop", r); err != nil {
		return s, err
	}
	s.Before += "\n"
	s.Special, err = fill("reader", r)
	return s, err
}
