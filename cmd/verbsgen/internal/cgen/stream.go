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

// stream describes the C function of a stream of commands.
func (s *shim) stream(v *model.Verb) error {
	r := replay{Stream: v.Stream}
	for _, b := range r.Builders {
		if b.Names {
			r.Names |= b.Flag.Value
		}
	}
	if i := slices.IndexFunc(r.InlineListBy.Args, func(a model.Arg) bool { return a.Copies != nil }); i >= 0 {
		r.Made = &r.InlineListBy.Args[i]
	}
	s.batches, s.Gated = true, "a stream of commands"
	s.addresses = r.Names != 0 || slices.ContainsFunc(r.Setters, func(b *model.Setter) bool { return takesObject(b.Call) })
	return s.fill("stream_more", "stream", r)
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

// passedOn writes the values of a call of a function of a view, which come as an array of words.
func passedOn(k *model.Command) string {
	var args []string
	for _, a := range k.Dispatch.Args {
		at := slices.IndexFunc(k.Params, func(p *model.Param) bool { return p.C == a })
		switch {
		case at == 0:
			args = append(args, "o")
		case strings.HasSuffix(k.Params[at].CType, "*"):
			args = append(args, fmt.Sprintf("(%s)(uintptr_t)a[%d]", k.Params[at].CType, at-1))
		default:
			args = append(args, fmt.Sprintf("(%s)a[%d]", k.Params[at].CType, at-1))
		}
	}
	return strings.Join(args, ", ")
}
