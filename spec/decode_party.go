package spec

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// limit leaves a party the keys of those that accept a call, or of those that refuse it.
func (p *Party) limit(_ *yaml.Node, at place, keys []key) []key {
	if at.key == keyAcceptedBy {
		return without(keys, "whole_verb", keyCrash)
	}
	return without(keys, "but")
}

func (p *Party) check(d *decoder, _, v *yaml.Node, at place, whole bool) {
	p.Kernels, _ = ParseKernels(p.Kernel)
	p.Releases, _ = ParseKernels(p.Release)
	if whole && !slices.ContainsFunc([]string{"provider", "kernel", "release", "but"}, func(key string) bool { return hasKey(v, key) }) {
		d.add(v, CodeMissingKey, at.subject, at.key+": an entry names neither a provider nor a kernel", "add provider or kernel")
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
func (d *decoder) checkParties(r *Rule, n *yaml.Node, id string) {
	inside := func(p Party) bool { return !p.Below() }
	if r.Severity != SeverityLint && slices.ContainsFunc(r.AcceptedBy, inside) {
		d.add(valueOf(n, keyAcceptedBy), CodeKindKey, id, keyAcceptedBy+" on a rule that refuses the call",
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
