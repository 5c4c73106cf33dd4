package rulefile

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/check"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// module loads the pages and the newest facts of a module, and makes its file.
func module(t *testing.T, name string) (*api.Release, *spec.Spec, *File) {
	t.Helper()
	sp, err := spec.Stored(name)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := stored.Load(stored.Newest())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range sp.Pages {
		for i := range p.Verbs {
			names = append(names, p.Verbs[i].C)
		}
	}
	return rel, sp, Make(rel, sp, sp.Rules(), names)
}

// call is a case as the Python module takes it.
type call struct {
	ID       string         `json:"-"`
	Function string         `json:"function"`
	Args     map[string]any `json:"args"`
	Caps     map[string]any `json:"caps"`
}

// calls are the cases of all rules, and the calls that man pages forbid and allow.
func calls(t *testing.T, sp *spec.Spec) []call {
	t.Helper()
	var out []call
	for _, r := range sp.Rules() {
		out = append(out, call{r.ID + " accept", r.Verb, orEmpty(r.Accept.Args), orEmpty(r.Accept.Caps)})
		out = append(out, call{r.ID + " reject", r.Verb, orEmpty(r.Reject.Args), orEmpty(r.Reject.Caps)})
	}
	files, err := filepath.Glob("../check/testdata/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v: %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := spec.ParseCases(name, data)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			out = append(out, call{c.ID.(string), c.Verb, orEmpty(c.Args), orEmpty(c.Caps)})
		}
	}
	out = append(out, call{"no such function", "no_such", nil, nil})
	for _, v := range sp.Pages[len(sp.Pages)-1].Verbs {
		out = append(out, call{"no such parameter", v.C, map[string]any{"no_such": 1}, nil})
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
			rel, sp, file := module(t, name)
			dir, list := t.TempDir(), calls(t, sp)
			for name, v := range map[string]any{"rules.json": file, "calls.json": list} {
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
			k := check.New(sp, rel)
			counts := map[string]int{}
			for i, c := range list {
				want := k.Evaluate(check.Case{Verb: c.Function, Args: c.Args, Caps: c.Caps})
				counts[want.Verdict]++
				if g := got[i]; g.Verdict != want.Verdict || !slices.Equal(g.Rules, want.Reasons()) || !slices.Equal(g.NotJudged, want.NotJudged) {
					t.Errorf("%s: %s %v %v\nPython: %+v\nexplain: %s %v %v %v", c.ID, c.Function, c.Args, c.Caps, g,
						want.Verdict, want.Reasons(), want.NotJudged, want.Messages)
				}
			}
			t.Logf("%d calls: %v", len(list), counts)
		})
	}
}
