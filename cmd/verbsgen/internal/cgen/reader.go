package cgen

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// reading is what the template of a reader reads.
type reading struct {
	*model.Lazy
	Verb   *model.Verb // with which reading begins
	Few    uint64      // the first fields that must be asked for
	Fields []*readField
}

// readField is one field of an entry.
type readField struct {
	*model.LazyField
	WhenOK, WhenFailed bool
	Clear              bool               // nothing is there to be read unless the entry failed
	Gets               []*model.LazyField // from the struct that the function fills, with those of the fields behind this one
	Got                bool               // by a field before this one
}

// reader describes the C function of a reader.
func (s *shim) reader(v *model.Verb) error {
	r := reading{Lazy: v.Reads, Verb: v}
	bits := 0
	for _, f := range v.Reads.Fields {
		x := &readField{LazyField: f, WhenOK: f.OK == nil && f.Failed != spec.FailedOnly,
			WhenFailed: f.OK == nil && (f.Failed != "" || !f.Func), Clear: f.Failed == spec.FailedOnly}
		if f.Bit != nil {
			if bits++; bits <= 4 {
				r.Few |= uint64(f.Bit.Value)
			}
		}
		if f.Fills != "" {
			by := x
			if i := slices.IndexFunc(r.Fields, func(b *readField) bool { return b.C == f.C && b.Gets != nil }); i >= 0 {
				by, x.Got = r.Fields[i], true
			}
			by.Gets = append(by.Gets, f)
		}
		r.Fields = append(r.Fields, x)
	}
	s.Gated = "a reader"
	err := s.fill("reader_loop", "reader", r)
	s.Before += "\n"
	return err
}
