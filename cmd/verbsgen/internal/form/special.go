package form

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"

// Of returns the form of a method of a verb. That of a special is what the file of the verb says; nil for a form that does not
// exist, and for a special that no file has.
func Of(verb, name string) *Form {
	if name != Special {
		return Find(name)
	}
	x := special.Find(verb)
	if x == nil {
		return nil
	}
	f := *Find(Special)
	f.Sig, f.At = signature(x), x.At
	f.Runtime, f.Reads, f.Requests, f.Elements, f.Range, f.Unchecked, f.UncheckedLints, f.RuleFirst = x.Runtime, x.Reads, x.Requests,
		x.Elements, x.Range, x.Unchecked, x.UncheckedLints, x.Kept
	if f.Requests != "" {
		f.Parts = explains
	}
	return &f
}

// Calls are the signatures of the functions that come with a special, by name.
func Calls(verb string) map[string]*Sig {
	out := map[string]*Sig{}
	for _, x := range special.Calls(verb) {
		out[x.C] = signature(x)
	}
	return out
}

func signature(x *special.Func) *Sig {
	s := &Sig{Ret: x.Ret}
	for _, p := range x.Params {
		s.Params = append(s.Params, Param{C: p})
	}
	return s
}
