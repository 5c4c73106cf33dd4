package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// replay is what the template of a stream of commands reads.
type replay struct {
	*model.Stream
	Names int64      // flags of requests that name objects
	Made  *model.Arg // of InlineListBy: a list that is made of one of the request; or nil
}

// streamShim describes the C function of a stream of commands.
func streamShim(v *model.Verb) (shim, error) {
	r := replay{Stream: v.Stream}
	for _, b := range r.Builders {
		if b.Names {
			r.Names |= b.Flag.Value
		}
	}
	if i := slices.IndexFunc(r.InlineListBy.Args, func(a model.Arg) bool { return a.Copies != nil }); i >= 0 {
		r.Made = &r.InlineListBy.Args[i]
	}
	s := shim{C: v.C, Result: "void ", batches: true, Gated: "a stream of commands",
		Params:    "uint8_t *gate_, uintptr_t object_, uint64_t asked_, uint8_t *first_, uint8_t *answer_",
		addresses: r.Names != 0 || slices.ContainsFunc(r.Setters, func(b *model.Setter) bool { return takesObject(b.Call) })}
	return s, s.fill("stream_more", "stream", r)
}

// takesObject reports whether a call takes an object, which must not go meanwhile.
func takesObject(c model.Call) bool {
	return slices.ContainsFunc(c.Args, func(a model.Arg) bool { return strings.HasSuffix(a.CType, "*") })
}

// argsOf writes the values of a call: addresses are numbers in some requests, and pointers in others.
func argsOf(c model.Call) string {
	args := []string{"o"}
	for _, a := range c.Args {
		switch path, address := strings.CutPrefix(a.From, "&"); {
		case address: // a struct or a value in the request
			args = append(args, "&w->"+path)
		case a.Copies != nil:
			args = append(args, "made")
		case strings.HasSuffix(a.CType, "*"):
			args = append(args, fmt.Sprintf("(%s)(uintptr_t)w->%s", a.CType, a.From))
		default:
			args = append(args, "w->"+a.From)
		}
	}
	return strings.Join(args, ", ")
}
