package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// partyList reads accepted_by or refused_by.
func (d *decoder) partyList(to *[]Party) reader {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) { *to = append(*to, d.party(e, at)) })
	}
}

// party reads one entry of accepted_by or refused_by.
func (d *decoder) party(n *yaml.Node, at place) Party {
	p := Party{}
	defer d.marking(&p.Entry)()
	p.Pos = d.pos(n)
	keys := []key{
		{"provider", false, d.oneOf(&p.Provider, d.parties...)},
		{"kernel", false, d.rangeOf(&p.Kernel, &p.Kernels, "kernels", `write ">=6.12", "<6.12", "6.1..7.2" or "6.1"`)},
		{"release", false, d.rangeOf(&p.Release, &p.Releases, "releases of rdma-core", `write ">=34.0", "<34.0", "28.0..33.2" or "28.0"`)},
		{"when", false, d.atoms(&p.When)},
		{"source", true, d.sources(&p.Source)},
	}
	if at.key == keyAcceptedBy {
		keys = append(keys, key{"but", false, d.text(&p.But)})
	} else {
		keys = append(keys, key{"whole_verb", false, d.truth(&p.WholeVerb)}, key{keyCrash, false, d.truth(&p.Crash)})
	}
	before := len(d.errs)
	if d.object(n, at, keys) && len(d.errs) == before && p.Provider == "" && p.Kernel == "" && p.Release == "" && p.But == "" {
		d.add(n, CodeMissingKey, at.subject, at.key+": an entry names neither a provider nor a kernel", "add provider or kernel")
	}
	return p
}

// rangeOf reads a range of kernels, or of releases.
func (d *decoder) rangeOf(text *string, to *Kernels, what, fix string) reader {
	return func(n *yaml.Node, at place) {
		if d.text(text)(n, at); *text == "" {
			return
		}
		var ok bool
		if *to, ok = ParseKernels(*text); !ok {
			d.add(n, CodeValue, at.subject, at.key+": "+show(*text)+" is no range of "+what, fix)
			*text = ""
		}
	}
}

// The keys for parties of a rule.
const (
	keyAcceptedBy = "accepted_by"
	keyRefusedBy  = "refused_by"
	keyCrash      = "crash"
)

// checkParties notes who accepts, at or above the floor, a call that is refused before it is made, and a platform that is
// said to accept and to refuse the same.
func (d *decoder) checkParties(r *Rule, given map[string]*yaml.Node, id string) {
	inside := func(p Party) bool { return !p.Below() }
	if r.Severity != SeverityLint && slices.ContainsFunc(r.AcceptedBy, inside) {
		d.add(given[keyAcceptedBy], CodeKindKey, id, keyAcceptedBy+" on a rule that refuses the call",
			"write severity: "+SeverityLint+", or name only "+VFIO+" and kernels and releases before the floor")
	}
	for i := range r.RefusedBy {
		for j := range r.AcceptedBy {
			a, b := &r.RefusedBy[i], &r.AcceptedBy[j]
			if a.Provider == b.Provider && len(a.When)+len(b.When) == 0 && a.Kernels.overlaps(b.Kernels) &&
				a.Releases.overlaps(b.Releases) {
				d.errs = append(d.errs, Error{Pos: a.Pos, Subject: id, Code: CodeKindKey,
					Problem: keyRefusedBy + ": " + a.String() + " accepts the call by another entry", Fix: "correct the kernels or releases of one"})
			}
		}
	}
}

// partiesOf are the names of a module that is not verbsgen's own, for what its library refuses.
func partiesOf(sources []source) (names []string) {
	for _, src := range sources {
		if !isModule(src.name) {
			continue
		}
		if m, _ := readModule(src.name, src.data); m != nil {
			library, _, _ := strings.Cut(m.Library, ".so")
			names = append(names, m.Name, library)
		}
	}
	return names
}
