package fail

import "github.com/verbsgen/verbsgen/runtime/verr"

// Unjudged returns the rules that need capabilities when these are not known: why is the reason. Otherwise all rules are judged,
// and it returns nothing.
func Unjudged(capable []*verr.Rule, why error) (out []verr.Rule, err error) {
	if why == nil {
		return nil, nil
	}
	for _, r := range capable {
		out = append(out, *r)
	}
	return out, why
}

// NoCaps returns the error of a device that answers the query of its capabilities with a part of them only.
func NoCaps(verb string) error {
	return &verr.Error{Verb: verb,
		Msg: "the provider or the library is too old to tell all capabilities; the plain attributes alone are known"}
}
