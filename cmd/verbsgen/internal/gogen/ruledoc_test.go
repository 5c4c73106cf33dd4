package gogen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// TestRuleList writes the rules of a method: a short list has IDs, a long one has a line for each field, with each statement once.
func TestRuleList(t *testing.T) {
	port := &model.Operand{Kind: model.OpArg, Text: "port_num", Param: &model.Param{Go: "portNum", Role: role.In}}
	v := &model.Verb{C: "ibv_x"}
	if got := ruleList(v); got != "" {
		t.Errorf("a verb without rules: %q", got)
	}
	v.Rules = []*model.Rule{
		{ID: "VR-ibv_x-port_num-0001", Checked: true, Subject: port, Statement: "port_num is at least 1"},
		{ID: "VR-ibv_x-port_num-0002", Checked: true, Lint: true, Subject: port, Statement: "some ports are reserved"},
		{ID: "VR-ibv_x-0003", Statement: "not checked"},
	}
	want := `Errors (the call is not made):
  - portNum is at least 1 [VR-ibv_x-port_num-0001]

Hints (some devices accept these):
  - portNum: some ports are reserved [VR-ibv_x-port_num-0002]`
	if got := ruleList(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i := range fullList {
		v.Rules = append(v.Rules, &model.Rule{ID: fmt.Sprintf("VR-ibv_x-port_num-%04d", i+4), Checked: true, Subject: port,
			Statement: fmt.Sprintf("port_num is not %d", i/2)})
	}
	got := ruleList(v)
	if !strings.HasPrefix(got, "Errors (the call is not made):\n  - portNum is at least 1; portNum is not 0; portNum is not 1;") ||
		strings.Count(got, "portNum is not 1;") != 1 || !strings.Contains(got, "accept these):\n  - portNum\n\n") ||
		!strings.Contains(got, "verbsgen rules ibv_x") {
		t.Errorf("a long list: got\n%s", got)
	}
}
