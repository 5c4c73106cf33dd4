//go:build linux && cgo

package device

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// verdict is what a device answered to the breach of a rule.
type verdict struct {
	Rule   string
	Why    string // it is not judged
	Answer string // the name of errno, the status of a completion, or the end of the process; empty if the call was accepted
	Call   string
}

// processEnded is the answer of a breach that the process does not survive.
const processEnded = "the process ended"

// What a child that judges is told.
const (
	judgeDevice = "VERBS_JUDGE_DEVICE"
	judgeAfter  = "VERBS_JUDGE_AFTER" // the last rule that is judged already
)

// judgeAll judges the rules in processes of their own, as a breach can end the process: the next one goes on behind the rule that did.
func judgeAll(t *testing.T, device string) (out []verdict) {
	t.Helper()
	for after := ""; ; {
		said, err := child(t, 20*time.Minute, "judge", judgeDevice+"="+device, judgeAfter+"="+after).Output()
		begun := ""
		for line := range strings.Lines(string(said)) {
			var v verdict
			switch id, isBegin := strings.CutPrefix(strings.TrimSpace(line), "judging "); {
			case isBegin:
				begun = id
				fmt.Println(id) // for a kernel that does not survive it
			case json.Unmarshal([]byte(line), &v) == nil && v.Rule == begun:
				out = append(out, v)
				begun = ""
			}
		}
		if err == nil {
			return out
		}
		if begun == "" {
			t.Fatalf("judging the rules: %v", err)
		}
		out = append(out, verdict{Rule: begun, Answer: processEnded})
		after = begun
	}
}

// judge is the child: it says each rule before its calls, and the verdict behind them.
func judge() error {
	real, err := dl.Open("")
	if err != nil {
		return err
	}
	pages, err := spec.Embedded("")
	if err != nil {
		return err
	}
	release, err := api.Load(api.Newest())
	if err != nil {
		return err
	}
	facts := spec.NewFacts(release.On(runtime.GOARCH))
	begin := os.Getenv(judgeAfter) == ""
	for _, r := range errorRules(pages) {
		if !begin {
			begin = r.ID == os.Getenv(judgeAfter)
			continue
		}
		fmt.Println("judging", r.ID)
		v := verdict{Rule: r.ID, Why: rulecall.Fatal[r.ID]}
		if v.Why == "" {
			j := rulecall.Judge(r, func(map[string]any) (*rulecall.Context, error) {
				return rulecall.Open(real, os.Getenv(judgeDevice), pages, facts)
			})
			v.Why, v.Call = j.Why, j.Call
			switch {
			case j.Errno != 0 && j.Status != 0:
				v.Answer = fmt.Sprintf("status %d", j.Status)
			case j.Errno != 0:
				v.Answer = errnoName(j.Errno)
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
