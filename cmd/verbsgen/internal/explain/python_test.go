package explain

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// fileOf makes the file of all rules and verbs of a checker.
func fileOf(k *Checker) *File {
	var names []string
	for v := range k.spec.Verbs() {
		names = append(names, v.C)
	}
	return k.File(k.spec.Rules(), names)
}

// allCalls are the cases of all rules, and the calls that man pages forbid and allow.
func allCalls(t *testing.T, s *spec.Spec) []Case {
	t.Helper()
	var out []Case
	for _, r := range s.Rules() {
		out = append(out, caseOf(r, r.Accept), caseOf(r, r.Reject))
	}
	files, err := callFiles.ReadDir("testdata")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, f := range files {
		for _, c := range calls(t, f.Name()) {
			out = append(out, Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps})
		}
	}
	out = append(out, Case{ID: "no such function", Verb: "no_such"},
		Case{ID: "a field of an object's base", Verb: "ibv_wr_rdma_read", Args: map[string]any{"qp": map[string]any{"qp_type": "IBV_QPT_UD"}}})
	for _, v := range s.Pages[len(s.Pages)-1].Verbs {
		out = append(out, Case{ID: "no such parameter", Verb: v.C, Args: map[string]any{"no_such": 1}})
	}
	return out
}

// TestPythonKnowsNoVerb looks for names of C in examples/rules-python.
func TestPythonKnowsNoVerb(t *testing.T) {
	files, err := filepath.Glob("../../../../examples/rules-python/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`(?i)\b(ibv|rdma)_\w+`).FindAll(data, -1); found != nil {
			t.Errorf("%s knows %s", name, found)
		}
	}
}

// TestPython judges calls with examples/rules-python, which reads the file: its answers are those of explain.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed (make setup installs it): NO OTHER PROGRAM HAS READ THE FILE OF RULES")
	}
	for _, name := range spec.Modules() {
		t.Run(name, func(t *testing.T) {
			k := ofModule(t, name)
			dir, list := t.TempDir(), allCalls(t, k.spec)
			given := make([]map[string]any, len(list))
			for i, c := range list {
				given[i] = map[string]any{"function": c.Verb, "args": orEmpty(c.Args), "caps": orEmpty(c.Caps)}
			}
			for name, v := range map[string]any{"rules.json": fileOf(k), "calls.json": given} {
				data, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(python, "../../../../examples/rules-python/verbs_rules.py", filepath.Join(dir, "rules.json"),
				filepath.Join(dir, "calls.json"))
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got []struct {
				Verdict   string
				Rules     []string
				NotJudged []string `json:"not_judged"`
				Problem   string
			}
			if err := json.Unmarshal(out, &got); err != nil || len(got) != len(list) {
				t.Fatalf("%d answers to %d calls: %v", len(got), len(list), err)
			}
			counts := map[string]int{}
			for i, c := range list {
				want := k.Evaluate(c)
				counts[want.Verdict]++
				if g := got[i]; g.Verdict != want.Verdict || !slices.Equal(g.Rules, want.Reasons()) || !slices.Equal(g.NotJudged, want.NotJudged) {
					t.Errorf("%v: %s %v %v\nPython: %+v\nexplain: %s %v %v %v", c.ID, c.Verb, c.Args, c.Caps, g,
						want.Verdict, want.Reasons(), want.NotJudged, want.Messages)
				}
			}
			t.Logf("%d calls: %v", len(list), counts)
		})
	}
}
