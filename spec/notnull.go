package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keyReadBy is the key of a rule on a pointer with the functions that read through it.
const keyReadBy = "read_by"

// nullDefaults fills in what all rules say that a parameter is not NULL. The fix follows from the parameter: see nullFixes.
func nullDefaults(r *Rule) {
	if r.Statement == "" {
		r.Statement = r.Subject + " must not be NULL"
	}
	if !isParam(r.Subject) {
		return
	}
	if r.Accept.Args == nil {
		r.Accept = Case{Args: map[string]any{r.Subject: "@" + r.Subject}, Pos: r.Pos}
	}
	if r.Reject.Args == nil {
		r.Reject = Case{Args: map[string]any{r.Subject: nil}, Pos: r.Pos}
	}
}

// isParam reports whether a path is a parameter, and nothing in it.
func isParam(path string) bool { return path != "" && !strings.ContainsAny(path, ".[") }

// nullFixes gives the rules on pointers that have no fix that of their parameter.
func (s *Spec) nullFixes() (errs Errors) {
	for r := range s.AllRules() {
		if r.Kind != KindNotNull || len(r.Fix) > 0 || r.Retired || r.ID == "" {
			continue
		}
		var param *Param
		if v := s.VerbByC(r.Verb); v != nil {
			param = v.Param(r.Subject)
		}
		switch {
		case param == nil:
			errs = append(errs, Error{Pos: r.Pos, Subject: r.ID, Code: CodeMissingKey,
				Problem: "key fix is missing, and no page binds a parameter " + show(r.Subject) + " of " + show(r.Verb),
				Fix:     "add it, or correct the subject"})
		case param.Null:
			errs = append(errs, Error{Pos: r.Pos, Subject: r.ID, Code: CodeSharedRule,
				Problem: "the parameter at " + param.Pos.String() + " has null: true", Fix: "keep one of them"})
		default:
			r.Fix = Fix{Way{{Text: param.NullFix(), Pos: r.Pos}}}
		}
	}
	return errs
}

// readers makes parties of the functions that read through a pointer, each of the library or provider whose file has it: the program
// crashes there. Where the man page is silent, they are the source of the rule too.
func (d *decoder) readers(r *Rule, rule *yaml.Node, subject string) {
	n := valueOf(rule, keyReadBy)
	if n == nil {
		return
	}
	if hasKey(rule, keyRefusedBy) {
		d.add(n, CodeSharedRule, subject, keyReadBy+" beside "+keyRefusedBy, "write all under "+keyRefusedBy+", with crash: true")
		return
	}
	for _, s := range r.ReadBy {
		who := owner(s.File)
		if !slices.Contains(libraries, who) && !slices.Contains(providers, who) {
			d.add(n, CodeValue, subject, keyReadBy+": "+show(s.File)+" is no file of a library or of a provider of rdma-core",
				"name the file, or write "+keyRefusedBy)
			continue
		}
		p := Party{Provider: who, Crash: true, Source: Sources{s}, Entry: Entry{Pos: s.Pos}}
		if len(s.Release) > 1 { // a list that begins after the floor: so does the function
			if first, ok := ParseKernel(strings.TrimPrefix(s.Release[0], "v")); ok && p.Came().Before(first) {
				p.Release, p.Releases = ">="+first.String(), Kernels{From: first}
			}
		}
		r.RefusedBy = append(r.RefusedBy, p)
	}
	if !hasKey(rule, "source") && !hasKey(rule, "passage") {
		r.Source = r.ReadBy
	}
}

// owner names the library, or the provider, that a file of rdma-core belongs to.
func owner(file string) string {
	first, rest, _ := strings.Cut(file, "/")
	switch {
	case slices.Contains(libraries, first):
		return first
	case first == "providers":
		provider, _, _ := strings.Cut(rest, "/")
		return provider
	}
	return ""
}

// withArticle puts a or an before a Go name, as it is spoken: a PD, an MR, a Device, an AllocDMAttr.
func withArticle(name string) string {
	vowels := "AEIOU"
	if len(name) > 1 && strings.ToUpper(name[:2]) == name[:2] {
		vowels = "AEFHILMNORSX" // the name begins with letters that are spelled
	}
	if strings.ContainsRune(vowels, rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
