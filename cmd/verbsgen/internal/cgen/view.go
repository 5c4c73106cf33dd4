package cgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// viewShim describes the C function that finds a view, and the function that calls those of the view.
func viewShim(v *model.Verb) (shim, error) {
	s := shim{C: v.C, Result: "void ", Params: "uintptr_t fn0_, uintptr_t object_, uint8_t *to_"}
	return s, s.fill("view_more", "view", v)
}

// passedOn writes the values of a call of a function of a view, which come as an array of words.
func passedOn(k *model.Command) (string, error) {
	var args []string
	for _, a := range k.Dispatch.Args {
		at := slices.IndexFunc(k.Params, func(p *model.Param) bool { return p.C == a })
		switch {
		case at < 0:
			return "", fmt.Errorf("%s: %s is not a parameter", k.C, a)
		case at == 0:
			args = append(args, "o")
		case strings.HasSuffix(k.Params[at].CType, "*"):
			args = append(args, fmt.Sprintf("(%s)(uintptr_t)a[%d]", k.Params[at].CType, at-1))
		default:
			args = append(args, fmt.Sprintf("(%s)a[%d]", k.Params[at].CType, at-1))
		}
	}
	return strings.Join(args, ", "), nil
}
