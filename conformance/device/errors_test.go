//go:build linux && cgo

package device

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// refusals are what a kernel and a release of the library refused breaches of rules with.
type refusals struct {
	Kernel   string            `json:"kernel"`
	RDMACore string            `json:"rdma_core"`
	Rules    map[string]string `json:"rules"` // the name of errno, or the status of a completion
}

// errorRules returns the rules whose breach is refused before a call; not those on NULL, which C reads without asking.
func errorRules(pages *spec.Spec) (out []*spec.Rule) {
	for _, r := range pages.Rules() {
		if r.Severity == spec.SeverityError && r.Kind != spec.KindNotNull {
			out = append(out, r)
		}
	}
	return out
}

// TestErrorsAreRefused makes the calls of the rules with severity error on the device, without the bindings and so without the
// rules: one that keeps the rule and one that breaks it. When the first succeeds, the second must be refused, by the library or by
// the kernel. What was refused is left in the folder that comes out of a guest.
func TestErrorsAreRefused(t *testing.T) {
	real, name := library(t)
	pages := must(spec.Embedded(""))(t)
	_, series := kernelRelease(t)
	got := refusals{series, real.Release(), map[string]string{}}
	for _, v := range rulecall.JudgeApart(t, real, name, errorRules(pages), nil) {
		switch {
		case v.Why != "":
			t.Logf("%s: not judged: %s", v.Rule, v.Why)
		case v.Answer != "":
			got.Rules[v.Rule] = v.Answer
			if v.Answer == rulecall.Ended {
				t.Logf("%s: %s", v.Rule, v.Answer)
			}
		case rulecall.Allowed[v.Rule] != "":
			t.Logf("%s: not judged: %s", v.Rule, rulecall.Allowed[v.Rule])
		default:
			t.Errorf("%s is an error, and library and kernel accept %s", v.Rule, v.Call)
		}
	}
	if t.Logf("%d rules judged", len(got.Rules)); len(got.Rules) == 0 {
		t.Error("no rule was judged")
	}
	file := "refused-" + series + "-" + got.RDMACore + ".json"
	if out := os.Getenv("VERBS_OUT"); out != "" {
		text := must(json.MarshalIndent(got, "", "\t"))(t)
		if err := os.WriteFile(filepath.Join(out, file), append(text, '\n'), 0o644); err != nil {
			t.Error(err)
		}
	}
	before, err := readRefusals(filepath.Join("testdata", file))
	if errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(name, "rxe") { // they are those of soft-RoCE
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range errorRules(pages) {
		if before.Rules[r.ID] != "" && got.Rules[r.ID] == "" {
			t.Errorf("%s was judged before, and is not now", r.ID)
		}
	}
}

// readRefusals reads what TestErrorsAreRefused leaves.
func readRefusals(file string) (r refusals, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// silent is how many rules no kernel has answered at most: soft-RoCE has nothing of what they are about. Those of verbs that are newer
// than the answers do not count.
const silent = 192

// TestErrorsRecorded counts the rules that the kernels in testdata have answered, as TestErrorsAreRefused left it in the folder of a
// guest. An answer on a rule that is a lint by now counts no more.
func TestErrorsRecorded(t *testing.T) {
	pages := must(spec.Embedded(""))(t)
	files := must(filepath.Glob("testdata/refused-*.json"))(t)
	if len(files) != 4 {
		t.Errorf("answers of %d kernels and libraries: %s", len(files), strings.Join(files, ", "))
	}
	by, newest := map[string][]string{}, ""
	for _, file := range files {
		r := must(readRefusals(file))(t)
		if newest == "" || api.Compare(r.RDMACore, newest) > 0 {
			newest = r.RDMACore
		}
		for id := range r.Rules {
			if by[id] = append(by[id], r.Kernel+" with rdma-core "+r.RDMACore); pages.RuleByID(id) == nil {
				t.Errorf("%s: there is no rule %s; run the test in a guest again", file, id)
			}
		}
		t.Logf("kernel %s, rdma-core %s: %d rules", r.Kernel, r.RDMACore, len(r.Rules))
	}
	all, none, since := errorRules(pages), 0, must(api.Since())(t)
	for _, r := range all {
		if by[r.ID] == nil && api.Compare(since[r.Verb], newest) <= 0 {
			none++
		}
		t.Logf("%s: %s", r.ID, strings.Join(by[r.ID], ", "))
	}
	if t.Logf("%d of %d rules with severity error are refused by a kernel or its library", len(all)-none, len(all)); none > silent {
		t.Errorf("%d rules have no answer, more than %d", none, silent)
	}
}
