package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// reading is what the template of a reader reads.
type reading struct {
	Go               string
	C, Attr          string // the object, and what reading begins with
	Few              string // the first fields that must be asked for
	Start, Next, End string // members of the object
	Empty            string
	Size             int64
	OK               *readField
	Fields           []readField
}

// readField is one field of an entry.
type readField struct {
	Go, C, Type        string
	Func               bool
	Bit                string // empty: always read
	Big                bool
	Swap, Flags        string // the flag with which it is swapped, and the field that has it
	Offset, Bits       int64
	WhenOK, WhenFailed bool
	Clear              bool // nothing is there to be read unless the entry failed
	Value, Name        string
	Fills              string // C struct that the function fills
	Gets               []got  // from it, with those of the fields behind this one
	Got                bool   // by a field before this one
}

// got is a field that has its value from a member of what a function fills.
type got struct{ Go, Of string }

// gets adds what a field gets to the field before it that gets something from the same function, if there is one.
func (r *reading) gets(function string, g got) bool {
	for i := range r.Fields {
		if f := &r.Fields[i]; f.C == function && f.Gets != nil {
			f.Gets = append(f.Gets, g)
			return true
		}
	}
	return false
}

// readerShim describes the C function of a reader.
func readerShim(v *model.Verb) (shim, error) {
	s := shim{C: v.C, Result: "void ", Gated: "a reader",
		Params: "uint8_t *gate_, uint64_t fields_, uint8_t *entries_, int64_t room_, int64_t tries_, uint8_t *answer_"}
	r := reading{Go: v.Reads.Go, C: v.Reads.C, Attr: strings.TrimSpace(strings.TrimSuffix(v.Params[1].CType, "*")),
		Start: v.Dispatch.Op, Next: v.Reads.Next, End: v.Reads.End,
		Empty: v.Empty, Size: v.Reads.Size}
	ok, few, bits := v.Reads.OK(), uint64(0), 0
	for _, f := range v.Reads.Fields {
		x := readField{Go: f.Go, C: f.C, Type: fmt.Sprintf("uint%d_t", 8*f.Size), Func: f.Func, Big: f.Big, Offset: f.Offset, Bits: 8 * f.Size,
			WhenOK: f != ok && f.Failed != spec.FailedOnly, WhenFailed: f != ok && (f.Failed != "" || !f.Func), Clear: f.Failed == spec.FailedOnly}
		if f.Bit != nil {
			x.Bit = fmt.Sprintf("%#x", uint64(f.Bit.Value))
			if bits++; bits <= 4 {
				few |= uint64(f.Bit.Value)
			}
		}
		if f.SwapIf != nil {
			x.Swap, x.Flags = fmt.Sprintf("%#x", uint64(f.SwapIf.Value)), f.Flags.Go
		}
		if f.Fills != "" {
			x.Fills, x.Got = f.Fills, r.gets(f.C, got{f.Go, f.Of})
			if !x.Got {
				x.Gets = []got{{f.Go, f.Of}}
			}
		}
		r.Fields = append(r.Fields, x)
		if f == ok {
			x.Value, x.Name = fmt.Sprint(f.OK.Value), f.OK.C
			r.OK = &x
		}
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
