package spec

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rule reads one rule.
func (d *decoder) rule(n *yaml.Node, at place) Rule {
	r := Rule{Severity: SeverityError}
	d.read(&r, n, n, place{ruleSubject(n, at.subject), ""})
	return r
}

// check fills in what a rule leaves out: the verb and the subject that its ID names, what it needs to be judged, and what all rules on a
// pointer have in common. Then it notes what is missing, and what does not belong there.
func (r *Rule) check(d *decoder, _, n *yaml.Node, at place, whole bool) {
	if !whole {
		return
	}
	kind := byName[r.Kind]
	if m := ruleID.FindStringSubmatch(r.ID); m != nil {
		if !hasKey(n, "verb") {
			r.Verb = m[1]
		}
		if !hasKey(n, "subject") && kind != nil && kind.wantsSubject(n) {
			r.Subject = m[2]
		}
	}
	if !hasKey(n, "needs") {
		r.Needs = NeedsArgs
		if kind != nil && kind.takes("cap") {
			r.Needs = NeedsCaps
		}
	}
	d.readers(r, n, show(r.ID))
	if kind != nil && kind.fill != nil {
		kind.fill(r)
	}
	d.checkID(n, r)
	if !hasKey(n, "statement") && r.Statement == "" {
		d.add(n, CodeMissingKey, at.subject, "key statement is missing", "add it")
	}
	if !r.Retired {
		d.checkForm(n, r)
	}
}

// filled reports whether a rule that leaves out a key has its value all the same.
func (r *Rule) filled(key string) bool {
	switch kind := byName[r.Kind]; key {
	case "accept":
		return r.Accept.Args != nil
	case "reject":
		return r.Reject.Args != nil
	case "fix":
		return kind != nil && kind.fill != nil // it follows from the parameter: see nullFixes
	}
	return false
}

// ruleSubject is the ID of a rule, for the errors in it, before the rule is read.
func ruleSubject(n *yaml.Node, page string) string {
	if id := idOf(n); id != "" {
		return show(id)
	}
	return page
}

// idOf is the text under the key id of a mapping, or "".
func idOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		if id := valueOf(n, "id"); id != nil && id.Kind == yaml.ScalarNode {
			return id.Value
		}
	}
	return ""
}

var ruleID = regexp.MustCompile(`^VR-([a-z0-9_]+)-([a-z0-9_.]+)-([0-9]{4})$`)

// ruleNumber returns the number of an ID of the right form; ok is false for another.
func ruleNumber(id string) (number int, ok bool) {
	if !ruleID.MatchString(id) {
		return 0, false
	}
	number, err := strconv.Atoi(id[len(id)-4:])
	return number, err == nil
}

// checkID notes an ID of another form than VR-<verb>-<subject>-<NNNN>.
func (d *decoder) checkID(n *yaml.Node, r *Rule) {
	if r.ID == "" {
		return
	}
	m := ruleID.FindStringSubmatch(r.ID)
	switch {
	case m == nil:
		d.add(n, CodeRuleID, show(r.ID), "the ID has not the form VR-<verb>-<subject>-<NNNN>",
			"write lower-case letters, digits, dots and underscores, and four digits at the end")
	case r.Verb != "" && m[1] != r.Verb:
		d.add(n, CodeRuleID, r.ID, "the ID names "+m[1]+", the rule is about "+show(r.Verb), "use one verb in both")
	}
}

// checkForm notes what a live rule lacks, and keys that its kind does not use.
func (d *decoder) checkForm(n *yaml.Node, r *Rule) {
	id := ruleSubject(n, "rule")
	for _, k := range []string{"kind", "fix", "accept", "reject"} {
		if !hasKey(n, k) && !r.filled(k) {
			d.add(n, CodeMissingKey, id, "key "+k+" is missing", "add it")
		}
	}
	if !hasKey(n, "source") && len(r.Source) == 0 && (!hasKey(n, "passage") || !hasKey(n, "section")) {
		d.add(n, CodeMissingKey, id, "neither section and passage nor source is given", "say where the rule is")
	}
	if r.Severity == SeverityLint && !hasKey(n, "note") &&
		!hasKey(n, keyAcceptedBy) && len(r.RefusedBy) == 0 && !hasKey(n, keyRefusedBy) {
		d.add(n, CodeMissingKey, id, "a lint says neither who accepts the call nor why it is a lint", "add accepted_by, refused_by or note")
	}
	d.checkParties(r, n, id)
	if r.Kind == "" {
		return
	}
	kind := byName[r.Kind]
	if kind == nil {
		fix := cmp.Or(DidYouMean(r.Kind, Kinds()), "the kinds are "+strings.Join(Kinds(), ", "))
		d.add(valueOf(n, "kind"), CodeUnknownKind, id, "unknown rule kind "+show(r.Kind), fix)
		return
	}
	d.checkKeys(n, r, kind)
}

// checkKeys notes keys that a rule of a kind lacks, and those that it does not use.
func (d *decoder) checkKeys(n *yaml.Node, r *Rule, kind *Kind) {
	id := ruleSubject(n, "rule")
	for _, group := range kind.Must {
		if !slices.ContainsFunc(group, func(k string) bool { return hasKey(n, k) || k == "subject" && r.Subject != "" }) {
			d.add(valueOf(n, "kind"), CodeKindKey, id, "a rule of kind "+r.Kind+" needs "+strings.Join(group, " or "), "add it")
		}
	}
	for key := range kindKeys {
		if hasKey(n, key) && !kind.takes(key) {
			d.add(valueOf(n, key), CodeKindKey, id, "a rule of kind "+r.Kind+" does not use "+key, "leave it out, or take another kind")
		}
	}
	if kind.takes("cap") != (r.Needs == NeedsCaps) && r.Needs != "" {
		d.add(n, CodeKindKey, id, "kind "+r.Kind+" and needs: "+r.Needs+" do not go together",
			"a kind with the key cap needs caps, and no other does")
	}
}

// check finds a comparison without exactly one test beside what it looks at.
func (a *Atom) check(d *decoder, _, n *yaml.Node, at place, whole bool) {
	tests := len(n.Content) / 2
	if hasKey(n, "of") {
		tests--
	}
	if whole && tests != 1 {
		d.add(n, CodeValue, at.subject, at.key+": a comparison of "+show(a.Of)+" has "+strconv.Itoa(tests)+" tests",
			"give exactly one of has, all, lacks, eq, ne, in, lt, le, gt, ge, null, set, same")
	}
}
