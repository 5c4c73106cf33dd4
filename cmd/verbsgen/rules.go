package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/coverage"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// ruleRow is one rule in `rules --json`.
type ruleRow struct {
	ID        string `json:"id"`
	Verb      string `json:"verb"`
	Subject   string `json:"subject"` // of a rule on several fields: their names joined by ", "
	Kind      string `json:"kind"`
	Severity  string `json:"severity"`
	Statement string `json:"statement"`
	Fix       string `json:"fix"`
	Page      string `json:"page"`
	Section   string `json:"section"`
	Passage   string `json:"passage"` // hash
	Source    string `json:"source"`  // where the page is silent
	Needs     string `json:"needs"`

	AcceptedBy []partyRow `json:"accepted_by"`
	RefusedBy  []partyRow `json:"refused_by"`
}

// partyRow is who accepts or refuses a call that breaks a lint.
type partyRow struct {
	Provider string `json:"provider"` // empty: every one
	Kernel   string `json:"kernel"`   // a range; empty: every one
	Release  string `json:"release"`  // a range of releases of rdma-core; empty: every one
	But      string `json:"but"`      // what differs from the page though the call is accepted
	Source   string `json:"source"`
	Always   bool   `json:"always"` // no further condition
	Run      bool   `json:"run"`    // the call was made; otherwise its source was read
	Crash    bool   `json:"crash"`  // nobody refuses: the program crashes
}

func partyRows(r *spec.Rule, list []spec.Party) []partyRow {
	rows := make([]partyRow, 0, len(list))
	for _, p := range list {
		rows = append(rows, partyRow{p.Provider, p.Kernel, p.Release, p.But, p.Source.String(), len(p.When) == 0, p.Run(r), p.Crash})
	}
	return rows
}

func (a *app) rulesCmd() *cobra.Command {
	var src source
	var asJSON, asMD, verify, full bool
	var want filter
	var tests []string
	cmd := &cobra.Command{
		Use:   "rules [VERB|ID] [flags]",
		Short: "list the rules of all verbs, or of one, or show the rule of an ID",
		Long: `rules prints an index: each verb with the number of its rules. With VERB, such
as ibv_reg_mr, reg_mr or 'ibv_*_dm' ('*' is all verbs), it lists the rules: ID,
kind, statement, and what is needed to check it: the arguments (args),
capabilities of the device (caps), or properties of objects (state). A rule of
severity lint is only a warning and never enforced: some kernel or provider
accepts the call. After the rules it lists statements of the man pages that
could be checked but that no rule checks, and says why not. With ID, such as the
ID at the end of an error, VR-ibv_reg_mr-access-0001, it shows that rule.

--severity and --provider select rules: errors or lints, and those that this
provider of rdma-core is known to enforce or not to enforce. On a terminal a
long list is shown by $PAGER (less).

--json prints a list, of all verbs without VERB, of {id, verb, subject, kind,
severity, statement, fix, page, section, passage, source, needs, accepted_by,
refused_by}; passage is a hash of the text that the rule rests on, source is the
source where the man page is silent; accepted_by and refused_by list {provider,
kernel, release, but, source, always, run, crash}, where release is a range of
rdma-core. run is true if the call was made and the answer seen, false if the
source was read; crash is true if nobody refuses the call and the program
crashes.

--json --full prints all that a program in any language needs to judge calls by
the rules: conditions as trees, the types of arguments, constants, cases,
parties and statements, with names of C only. docs/rules.md describes the file
and docs/rules.schema.json is its schema; examples/rules-python judges calls
with it.

--check judges the accept and reject cases of every rule, generates the package
in memory, and prints for each verb how many rules are defined, checked by the
generated package, kept by its Go types (no call can break them), enforced by
its handles (Close, and use after Close), judged by explain only, and tested:
both cases are right. It exits 1 when a case is wrong, or when a test below a
folder of --tests names a rule that is not defined or is retired. With --json it
prints {rules: [{id, verb, by: validator|type|handles|explain, why, tested,
problems}]}.`,
		Args: takes(0, 1),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if err := src.check(); err != nil {
				return err
			}
			if full && (!asJSON || verify) {
				return usagef("--full needs --json, and no --check")
			}
			if len(tests) > 0 && !verify {
				return usagef("--tests needs --check")
			}
			id := ""
			if len(args) == 1 {
				if verb, isID := verbOfID(args[0]); isID {
					id, args[0] = args[0], verb
				}
				moduleOf(&src, args[0])
			}
			if err := want.check(); err != nil {
				return err
			}
			rel, sp, err := input.Load(src.Source)
			if err != nil {
				return err
			}
			rules := sp.Rules()
			if len(args) == 1 {
				var fix string
				if !isPattern(args[0]) {
					args[0], fix = explain.NewVerbs(sp, sp.Module.NewFacts(rel)).Find(args[0])
				}
				if rules, err = rulesOf(sp, args[0], fix); err != nil {
					return err
				}
			}
			if id != "" {
				if rules, err = ruleOf(rules, args[0], id); err != nil {
					return err
				}
			}
			facts := sp.Module.NewFacts(rel)
			rules = want.of(declared(facts, rules))
			switch {
			case verify:
				return a.checkRules(src, rel, sp, rules, tests, asJSON, asMD)
			case full:
				return writeJSON(a.out, explain.New(sp, rel).File(rules, functionsOf(sp, args)))
			case asJSON:
				return writeJSON(a.out, ruleRows(rules))
			case asMD:
				return writeRulesMD(a.out, rules)
			}
			if len(args) == 0 {
				return a.show(rulesIndex(rules, a.tty))
			}
			var left []spec.LeftOut
			if want == (filter{}) && id == "" {
				left = leftOut(facts, sp, args)
			}
			return a.show(rulesText(rules, left, a.tty))
		}),
	}
	src.factFlags(cmd)
	src.specFlag(cmd)
	formFlags(cmd, &asJSON, &asMD)
	cmd.Flags().BoolVar(&full, "full", false, "with --json, print all that is needed to judge calls by the rules")
	cmd.Flags().StringVar(&want.severity, "severity", "", "select rules of this `severity`: error or lint")
	cmd.Flags().StringVar(&want.provider, "provider", "", "select rules about which something is known of this `provider`, such as mlx5")
	cmd.Flags().BoolVar(&verify, "check", false, "judge the cases of the rules, and list which are generated")
	cmd.Flags().StringArrayVar(&tests, "tests", nil, "with --check, search the Go tests below this `folder` (repeatable)")
	return cmd
}

// declared are the rules on functions that the facts have.
func declared(facts *spec.Facts, rules []*spec.Rule) []*spec.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r *spec.Rule) bool { return facts.Func(r.Verb) == nil })
}

// functionsOf are the functions that the pages bind, or the one that is named.
func functionsOf(sp *spec.Spec, args []string) []string {
	if len(args) > 0 {
		return args
	}
	var names []string
	for v := range sp.Verbs() {
		names = append(names, v.C)
	}
	return names
}

// checkRules judges the cases of rules, and prints what becomes of each.
func (a *app) checkRules(src source, rel *api.Release, sp *spec.Spec, rules []*spec.Rule, tests []string, asJSON, asMD bool) error {
	files, pkg, err := generate.Run(rel, sp, generate.Options{Package: sp.Module.Package, AllowUndecided: true, Header: src.Header})
	if err != nil {
		return err
	}
	r := coverage.NewRules(rel, sp, rules, pkg, files)
	switch {
	case asJSON:
		err = writeJSON(a.out, r)
	case asMD:
		err = r.Markdown(a.out)
	default:
		err = r.Text(a.out)
	}
	if err != nil {
		return err
	}
	var errs diag.List
	errs.AddErr(r.Err())
	for _, dir := range tests {
		errs.AddErr(coverage.Undefined(dir, sp))
	}
	return errs.Err()
}

// formFlags adds --json and --md.
func formFlags(cmd *cobra.Command, asJSON, asMD *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(asMD, "md", false, "print Markdown")
	exclusive(cmd, "json", "md")
}

// rulesOf returns the rules of a verb; a verb that no page describes is an error, with the fix if there is one.
func rulesOf(sp *spec.Spec, verb, fix string) ([]*spec.Rule, error) {
	if isPattern(verb) {
		if _, err := path.Match(verb, ""); err != nil {
			return nil, usagef("%q is not a pattern: %w", verb, err)
		}
		matches := func(name string) bool { return patternHas(verb, name) }
		if !slices.ContainsFunc(functionsOf(sp, nil), matches) {
			return nil, unknownVerb(verb, fix)
		}
		return slices.DeleteFunc(slices.Clone(sp.Rules()), func(r *spec.Rule) bool { return !matches(r.Verb) }), nil
	}
	if sp.VerbByC(verb) == nil && len(sp.RulesOf(verb)) == 0 {
		return nil, unknownVerb(verb, fix)
	}
	return sp.RulesOf(verb), nil
}

// verbOfID returns the verb of the ID of a rule, VR-VERB-SUBJECT-NUMBER; ok is false for another text.
func verbOfID(text string) (verb string, ok bool) {
	rest, ok := strings.CutPrefix(text, "VR-")
	verb, _, more := strings.Cut(rest, "-")
	return verb, ok && more
}

// ruleOf returns the one rule of an ID.
func ruleOf(rules []*spec.Rule, verb, id string) ([]*spec.Rule, error) {
	var ids []string
	for _, r := range rules {
		if r.ID == id {
			return []*spec.Rule{r}, nil
		}
		ids = append(ids, r.ID)
	}
	fix := cmp.Or(spec.DidYouMean(id, ids), "list the rules of this verb with `verbsgen rules "+verb+"`")
	return nil, diag.One(diag.New(diag.VerbUnknown, "", 0, 0, id, "no rule has this ID", fix))
}

// unknownVerb is the error of a verb that no page describes.
func unknownVerb(verb, fix string) error {
	fix = cmp.Or(fix, "list the verbs with `verbsgen coverage --names`")
	return diag.One(diag.New(diag.VerbUnknown, "", 0, 0, verb, "no page describes a verb of this name", fix))
}

func ruleRows(rules []*spec.Rule) []ruleRow {
	rows := make([]ruleRow, 0, len(rules))
	for _, r := range rules {
		rows = append(rows, ruleRow{r.ID, r.Verb, subjectOf(r), r.Kind, r.Severity, r.Statement, r.Fix.String(), r.Page, r.Section, r.Passage,
			r.Source.String(), r.Needs,
			partyRows(r, r.AcceptedBy), partyRows(r, r.RefusedBy)})
	}
	return rows
}

// subjectOf names what the rule is about.
func subjectOf(r *spec.Rule) string {
	if r.Subject == "" {
		return strings.Join(r.Fields, ", ")
	}
	return r.Subject
}

// leftOut returns the statements that no rule checks: about all verbs that the release declares, or about one.
func leftOut(facts *spec.Facts, sp *spec.Spec, verb []string) []spec.LeftOut {
	var out []spec.LeftOut
	for _, p := range sp.Pages {
		for _, l := range p.LeftOut {
			if facts.Func(l.Verb) != nil && (len(verb) == 0 || patternHas(verb[0], l.Verb)) {
				out = append(out, l)
			}
		}
	}
	return out
}

// patternHas reports whether a name matches a pattern.
func patternHas(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// filter selects rules; an empty field selects all.
type filter struct{ severity, provider string }

func (f filter) check() error {
	if f.severity != "" && f.severity != spec.SeverityError && f.severity != spec.SeverityLint {
		return usagef("--severity: %q is not a severity; they are %s and %s", f.severity, spec.SeverityError, spec.SeverityLint)
	}
	_, err := readPlatform(f.provider, "")
	return err
}

func (f filter) of(rules []*spec.Rule) []*spec.Rule {
	return slices.DeleteFunc(rules, func(r *spec.Rule) bool {
		named := func(p spec.Party) bool { return p.Provider == f.provider }
		return f.severity != "" && r.Severity != f.severity ||
			f.provider != "" && !slices.ContainsFunc(r.AcceptedBy, named) && !slices.ContainsFunc(r.RefusedBy, named)
	})
}

// writeRulesMD prints the rules as a Markdown table.
func writeRulesMD(w io.Writer, rules []*spec.Rule) error {
	var b strings.Builder
	b.WriteString("| rule | verb | subject | kind | severity | needs | statement | source |\n|---|---|---|---|---|---|---|---|\n")
	for _, r := range rules {
		cells := []string{"`" + r.ID + "`", "`" + r.Verb + "`", "`" + subjectOf(r) + "`", r.Kind, r.Severity, r.Needs, r.Statement, whereFrom(r)}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeJSON prints indented JSON.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
