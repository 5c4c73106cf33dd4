package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fatih/color"

	"github.com/verbsgen/verbsgen/spec"
)

// rulesIndex is a line for each verb: how many rules it has.
func rulesIndex(rules []*spec.Rule, tty terminal) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rules\terrors\tlints\t  verb")
	lints := map[string]int{}
	count := map[string]int{}
	var verbs []string
	for _, r := range rules {
		if count[r.Verb]++; count[r.Verb] == 1 {
			verbs = append(verbs, r.Verb)
		}
		if r.Severity == spec.SeverityLint {
			lints[r.Verb]++
		}
	}
	for _, v := range verbs {
		fmt.Fprintf(t, "%d\t%d\t%d\t  %s\n", count[v], count[v]-lints[v], lints[v], v)
	}
	_ = t.Flush() // into memory
	fmt.Fprintf(&b, "%s of %s; `verbsgen rules VERB` lists those of a verb, `verbsgen rules '*'` all\n",
		tty.paint(plural(len(rules), "rule"), color.Bold), plural(len(verbs), "verb"))
	return b.String()
}

// rulesText is the rules for people, in the groups of their verbs, and then what no rule checks.
func rulesText(rules []*spec.Rule, left []spec.LeftOut, t terminal) string {
	var b strings.Builder
	first := map[string]int{} // other pages may have rules of a verb, behind its own
	for i, r := range slices.Backward(rules) {
		first[r.Verb] = i
	}
	slices.SortStableFunc(rules, func(a, b *spec.Rule) int { return first[a.Verb] - first[b.Verb] })
	verb := ""
	for _, r := range rules {
		if r.Verb != verb {
			verb = r.Verb
			fmt.Fprintf(&b, "%s\n", t.paint(verb, color.Bold))
		}
		mark := ""
		if r.Severity == spec.SeverityLint {
			mark = t.paint(" (lint)", color.FgYellow)
		}
		fmt.Fprintf(&b, "  %s  %s, by %s%s\n      %s: %s; %s\n", t.paint(r.ID, color.FgCyan), r.Kind, r.Needs, mark,
			t.paint(subjectOf(r), color.Bold), r.Statement, t.paint(r.Fix.String(), color.FgGreen))
		fmt.Fprintf(&b, "      %s\n", whereFrom(r))
		if who := parties(r); who != "" {
			fmt.Fprintf(&b, "      %s\n", who)
		}
	}
	for i, l := range left {
		if i == 0 {
			b.WriteString("not checked by a rule\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n      %s: %s\n", l.Verb, l.Statement, l.Section, l.Reason)
	}
	fmt.Fprintf(&b, "%s\n", plural(len(rules), "rule"))
	return b.String()
}

// plural counts: "1 rule", "2 rules".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// whereFrom names the page and section, or the source, of a rule.
func whereFrom(r *spec.Rule) string {
	if len(r.Source) > 0 {
		return r.Source.String() + " (not in " + r.Page + "(3))"
	}
	return r.Page + "(3), " + r.Section
}

// parties lists who accepts and who refuses a call that breaks the rule.
func parties(r *spec.Rule) string {
	var out []string
	for _, l := range []struct {
		does string
		who  []spec.Party
	}{{"accepted by ", r.AcceptedBy}, {"refused by ", r.RefusedBy}} {
		var names []string
		for _, p := range l.who {
			if !slices.Contains(names, p.Describe()) {
				names = append(names, p.Describe())
			}
		}
		if len(names) > 0 {
			out = append(out, l.does+strings.Join(names, ", "))
		}
	}
	return strings.Join(out, "; ")
}
