package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// viewing is what the template of a view reads.
type viewing struct {
	C, Function, Takes string
	Commands           []viewed
}

// viewed is a function of a view.
type viewed struct {
	Number      int
	C, Op, Args string
}

// viewShim describes the C function that finds a view, and the function that calls those of the view.
func viewShim(v *model.Verb) (shim, error) {
	s := shim{C: v.C, Result: "void ", Params: "uintptr_t fn0_, uintptr_t object_, uint8_t *to_"}
	r := viewing{C: v.View.C, Function: FnType(v.Symbol.Name), Takes: v.Params[0].CType}
	for i, k := range v.View.Commands {
		var args []string
		for _, a := range k.Dispatch.Args {
			at := slices.IndexFunc(k.Params, func(p *model.Param) bool { return p.C == a })
			switch {
			case at < 0:
				return s, fmt.Errorf("%s: %s is not a parameter", k.C, a)
			case at == 0:
				args = append(args, "o")
			case strings.HasSuffix(k.Params[at].CType, "*"):
				args = append(args, fmt.Sprintf("(%s)(uintptr_t)a[%d]", k.Params[at].CType, at-1))
			default:
				args = append(args, fmt.Sprintf("(%s)a[%d]", k.Params[at].CType, at-1))
			}
		}
		r.Commands = append(r.Commands, viewed{i, k.C, k.Dispatch.Op, strings.Join(args, ", ")})
	}
	var err error
	if s.Before, err = fill("view_more", r); err != nil {
		return s, err
	}
	s.Special, err = fill("view", r)
	return s, err
}
