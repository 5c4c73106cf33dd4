//go:build linux && cgo

package rulecall

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Judged is what a library and its kernel answer to the breach of a rule.
type Judged struct {
	Rule   string
	Why    string // why it is not judged
	Answer string // the name of errno, the status of a completion, or Ended; empty if the call was accepted
	Call   string
}

// Ended is the answer of a breach that the process does not survive.
const Ended = "the process ended"

// judgedLast is the environment variable with the last rule that was judged, in a process that judges those after it.
const judgedLast = "VERBSGEN_JUDGED_LAST"

// JudgeApart judges rules on a device of a library. A breach can end the process, so other processes judge: each runs this test again up
// to here, and begins after the rule that ended the process before it. A rule with a reason in untried is not judged.
func JudgeApart(t *testing.T, lib Symbols, device string, rules []*spec.Rule, untried map[string]string) (all []Judged) {
	t.Helper()
	if last, child := os.LookupEnv(judgedLast); child {
		if err := judgeAfter(last, lib, device, rules, untried); err != nil {
			t.Fatal(err)
		}
		t.SkipNow()
	}
	for last := ""; ; {
		cmd := exec.CommandContext(t.Context(), os.Args[0], append(slices.Clip(os.Args[1:]), "-test.run=^"+t.Name()+"$", "-test.v=false")...)
		cmd.Env = append(os.Environ(), judgedLast+"="+last)
		said, err := cmd.Output()
		begun := ""
		for line := range strings.Lines(string(said)) {
			var v Judged
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "judging "); ok {
				begun = id
			} else if json.Unmarshal([]byte(line), &v) == nil && v.Rule == begun {
				all = append(all, v)
				begun = ""
			}
		}
		if err == nil {
			return all
		}
		if begun == "" {
			t.Fatalf("judging the rules: %v\n%s", err, said)
		}
		all = append(all, Judged{Rule: begun, Answer: Ended})
		last = begun
	}
}

// judgeAfter prints each rule before its calls, and the verdict after them. It begins after the rule last.
func judgeAfter(last string, lib Symbols, device string, rules []*spec.Rule, untried map[string]string) error {
	pages, err := spec.Embedded("")
	if err != nil {
		return err
	}
	release, err := api.Load(api.Newest())
	if err != nil {
		return err
	}
	facts := spec.NewFacts(release.On(runtime.GOARCH))
	for _, r := range rules[1+slices.IndexFunc(rules, func(r *spec.Rule) bool { return r.ID == last }):] {
		fmt.Println("judging", r.ID)
		v := Judged{Rule: r.ID, Why: untried[r.ID]}
		if why := Fatal[r.ID]; why != "" {
			v.Why = why
		}
		if v.Why == "" {
			j := Judge(r, func(map[string]any) (*Context, error) { return Open(lib, device, pages, facts) })
			v.Why, v.Call = j.Why, j.Call
			switch {
			case j.Status != 0:
				v.Answer = fmt.Sprintf("status %d", j.Status)
			case j.Errno != 0:
				v.Answer = verr.ErrnoName(j.Errno)
			}
		}
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return nil
}
