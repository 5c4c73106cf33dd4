package spec

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"
)

// amendment is what an entry `extends: ID` without for: says of a rule that there is: that it allows more, or is retired.
type amendment struct {
	Entry
	node    *yaml.Node
	ID      string   `page:"key=extends,must"`
	Reason  string   `page:"must"`
	Allow   []string `page:"operand"`
	Values  []string `page:"operand"`
	Retired bool
	Reject  Case
}

// amendment reads such an entry.
func (d *decoder) amendment(n *yaml.Node, _ place) amendment {
	a := amendment{node: n}
	at := place{show(textOf(n, keyExtends)), ""}
	d.read(&a, n, n, at)
	if !a.Retired && len(a.Allow)+len(a.Values) == 0 {
		d.add(n, CodeExtends, at.subject, "it changes nothing of the rule",
			"write retired: true, or what else the rule allows under allow: or values:")
	}
	return a
}

// amend changes the rules that the amendments of the files name, once the shared ones are written out.
func (s *Spec) amend(files []*file) {
	for _, f := range files {
		for _, a := range f.amendments {
			s.amendRule(f.decoder, a)
		}
	}
}

func (s *Spec) amendRule(d *decoder, a amendment) {
	var ids []string
	for r := range s.AllRules() {
		if ids = append(ids, r.ID); r.ID != a.ID {
			continue
		}
		d.amendOne(r, a)
		return
	}
	if a.ID != "" {
		fix := cmp.Or(DidYouMean(a.ID, ids), "name a rule that `verbsgen rules` lists")
		d.add(valueOf(a.node, keyExtends), CodeExtends, show(a.ID), "extends: no rule has this ID", fix)
	}
}

// amendOne changes one rule. The note of a rule says why.
func (d *decoder) amendOne(r *Rule, a amendment) {
	for _, k := range []struct {
		name string
		has  *[]string
		more []string
	}{{"allow", &r.Allow, a.Allow}, {"values", &r.Values, a.Values}} {
		switch {
		case len(k.more) == 0:
		case len(*k.has) == 0:
			d.add(valueOf(a.node, k.name), CodeExtends, r.ID, "the rule at "+r.Pos.String()+" has no "+k.name+":", "remove it, or retire the rule")
		default:
			*k.has = slices.Concat(*k.has, k.more)
		}
	}
	if a.Reject.Args != nil {
		r.Reject = a.Reject
	}
	r.Retired = r.Retired || a.Retired
	*r.marks = append(*r.marks, *a.marks...)
	if r.Note != "" {
		r.Note += "; "
	}
	r.Note += a.Reason
}
