package coverage

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Where a rule is enforced.
const (
	ByValidator = "validator" // the generated package checks it before a call
	ByType      = "type"      // the Go types keep it: no call can break it
	ByHandles   = "handles"   // the handles keep it: Close, and use after Close
	ByExplain   = "explain"   // the command alone judges it
)

// RuleState says what became of one rule.
type RuleState struct {
	ID       string   `json:"id"`
	Verb     string   `json:"verb"`
	By       string   `json:"by"`       // ByValidator, ByType, ByHandles or ByExplain
	Why      string   `json:"why"`      // of ByExplain: why the generated package does not check it
	Tested   bool     `json:"tested"`   // accept and reject were judged, and hold
	Problems []string `json:"problems"` // why not
	pos      spec.Pos
}

// RuleReport is the state of rules, in their order.
type RuleReport struct {
	Rules []RuleState `json:"rules"`
}

// NewRules judges the cases of rules and looks for the rules in a generated package.
func NewRules(rel *api.Release, sp *spec.Spec, rules []*spec.Rule, pkg *model.Package, files []output.File) *RuleReport {
	bound := map[string]*model.Rule{}
	for _, r := range pkg.Rules {
		bound[r.ID] = r
	}
	j := newJudge(rel, sp)
	out := &RuleReport{Rules: []RuleState{}}
	for _, r := range rules {
		s := RuleState{ID: r.ID, Verb: r.Verb, By: ByExplain, Problems: j.problems(r), pos: r.Pos}
		s.Tested = len(s.Problems) == 0
		switch m := bound[r.ID]; {
		case m == nil && sp.VerbByC(r.Verb) == nil:
			s.Why = "no page binds the verb"
		case m == nil:
			s.Why = "speaks of what a later release has"
		case m.Checked && inValidator(files, r.ID):
			s.By = ByValidator
		case strings.HasPrefix(m.Why, model.KeptByType):
			s.By = ByType
		case strings.HasPrefix(m.Why, model.KeptByHandles):
			s.By = ByHandles
		default:
			s.Why = m.Why
		}
		out.Rules = append(out.Rules, s)
	}
	return out
}

// inValidator reports whether the code of the validators names a rule.
func inValidator(files []output.File, id string) bool {
	for _, f := range files {
		if f.Name == "check.gen.go" && bytes.Contains(f.Data, []byte(`"`+id+`"`)) {
			return true
		}
	}
	return false
}

// Err names each rule whose cases do not hold.
func (r *RuleReport) Err() error {
	var errs diag.List
	for _, s := range r.Rules {
		for _, p := range s.Problems {
			errs.Add(diag.At(diag.RuleCase, s.pos, s.ID, p, "correct the case, or the rule"))
		}
	}
	return errs.Err()
}

// counts returns a row for each verb, in the order of the rules, and one for all. The numbers are of rules that are defined, those by where
// they are enforced, and those that are tested.
func (r *RuleReport) counts() []row {
	column := map[string]int{ByValidator: 1, ByType: 2, ByHandles: 3, ByExplain: 4}
	at := map[string]int{}
	var rows []row
	for _, s := range r.Rules {
		if _, ok := at[s.Verb]; !ok {
			at[s.Verb] = len(rows)
			rows = append(rows, row{s.Verb, make([]int, 6)})
		}
		n := rows[at[s.Verb]].n
		n[0]++
		n[column[s.By]]++
		if s.Tested {
			n[5]++
		}
	}
	return withSum(rows, 6)
}

// Text writes a table by verb for a terminal, then the rules that the generated package does not check.
func (r *RuleReport) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "verb\tdefined\tgenerated\tby type\tby handles\texplain only\ttested")
	writeText(t, r.counts())
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range r.Rules {
		if s.By != ByExplain {
			continue
		}
		if _, err := fmt.Fprintf(w, "explain only: %s: %s\n", s.ID, s.Why); err != nil {
			return err
		}
	}
	return nil
}

// Markdown writes the table by verb.
func (r *RuleReport) Markdown(w io.Writer) error {
	rows := r.counts()
	for i := range rows {
		rows[i].name = "`" + rows[i].name + "`"
	}
	var b strings.Builder
	b.WriteString("| verb | defined | generated | by type | by handles | explain only | tested |\n|---|--:|--:|--:|--:|--:|--:|\n")
	writeMarkdown(&b, rows)
	_, err := io.WriteString(w, b.String())
	return err
}
