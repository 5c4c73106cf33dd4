package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What follows is a transcription of its own of what the kernel demands of ibv_modify_qp: ib_modify_qp_is_ok and its table in
// drivers/infiniband/core/verbs.c of Linux, and the attributes that drivers/infiniband/core/uverbs_cmd.c takes out of the
// mask for XRC. The kernel lists attributes by transition and type, and so do the pages; here they are listed by attribute, so
// that one slip does not stand in both.

// connected are the types with a peer.
const connected = "UC RC XRC_SEND XRC_RECV"

// attributeUses tells on which transitions, and for which types, an attribute is needed or may be given. The new state itself
// is not listed: every change needs it, and without a change it may be given. Types without a transition have all of them.
var attributeUses = []struct {
	attribute string
	needed    map[string]string // types by transition
	allowed   map[string]string
}{
	{"PKEY_INDEX", map[string]string{"RESET>INIT": "UD " + connected},
		map[string]string{"INIT>INIT": "UD " + connected, "INIT>RTR": "UD " + connected, "SQD>SQD": "UD " + connected}},
	{"PORT", map[string]string{"RESET>INIT": "UD RAW_PACKET " + connected},
		map[string]string{"INIT>INIT": "UD " + connected, "SQD>SQD": "RC XRC_SEND XRC_RECV"}},
	{"QKEY", map[string]string{"RESET>INIT": "UD"},
		map[string]string{"INIT>INIT": "UD", "INIT>RTR": "UD", "RTR>RTS": "UD", "RTS>RTS": "UD", "SQD>RTS": "UD", "SQD>SQD": "UD",
			"SQE>RTS": "UD"}},
	{"ACCESS_FLAGS", map[string]string{"RESET>INIT": connected},
		map[string]string{"INIT>INIT": connected, "INIT>RTR": connected, "RTR>RTS": connected, "RTS>RTS": connected, "SQD>RTS": connected,
			"SQD>SQD": connected, "SQE>RTS": "UC"}},
	{"AV", map[string]string{"INIT>RTR": connected}, map[string]string{"SQD>SQD": connected}},
	{"PATH_MTU", map[string]string{"INIT>RTR": connected}, nil},
	{"DEST_QPN", map[string]string{"INIT>RTR": connected}, nil},
	{"RQ_PSN", map[string]string{"INIT>RTR": connected}, nil},
	{"SQ_PSN", map[string]string{"RTR>RTS": "UD " + connected}, nil},
	// What the responder has: XRC_RECV responds, XRC_SEND does not.
	{"MAX_DEST_RD_ATOMIC", map[string]string{"INIT>RTR": "RC XRC_RECV"}, map[string]string{"SQD>SQD": "RC XRC_RECV"}},
	{"MIN_RNR_TIMER", map[string]string{"INIT>RTR": "RC XRC_RECV"},
		map[string]string{"RTR>RTS": "RC XRC_RECV", "RTS>RTS": "RC XRC_RECV", "SQD>RTS": "RC XRC_RECV", "SQD>SQD": "RC XRC_RECV"}},
	// What the requester has; but the timeout is asked of XRC_RECV too.
	{"MAX_QP_RD_ATOMIC", map[string]string{"RTR>RTS": "RC XRC_SEND"}, map[string]string{"SQD>SQD": "RC XRC_SEND"}},
	{"RETRY_CNT", map[string]string{"RTR>RTS": "RC XRC_SEND"}, map[string]string{"SQD>SQD": "RC XRC_SEND"}},
	{"RNR_RETRY", map[string]string{"RTR>RTS": "RC XRC_SEND"}, map[string]string{"SQD>SQD": "RC XRC_SEND"}},
	{"TIMEOUT", map[string]string{"RTR>RTS": "RC XRC_SEND XRC_RECV"}, map[string]string{"SQD>SQD": "RC XRC_SEND XRC_RECV"}},
	{"ALT_PATH", nil,
		map[string]string{"INIT>RTR": connected, "RTR>RTS": connected, "RTS>RTS": connected, "SQD>RTS": connected, "SQD>SQD": connected}},
	{"PATH_MIG_STATE", nil, map[string]string{"RTR>RTS": connected, "RTS>RTS": connected, "SQD>RTS": connected, "SQD>SQD": connected}},
	{"CUR_STATE", nil,
		map[string]string{"RTR>RTS": "UD " + connected, "RTS>RTS": "UD " + connected, "SQD>RTS": "UD " + connected, "SQE>RTS": "UD UC"}},
	{"EN_SQD_ASYNC_NOTIFY", nil, map[string]string{"RTS>SQD": "UD " + connected}},
	// Since 2026: before, the table had it for RAW_PACKET alone, from RTR to RTS and in RTS. No driver takes it of XRC but in RESET.
	{"RATE_LIMIT", nil, map[string]string{"RESET>RESET": "XRC_SEND XRC_RECV", "INIT>RTR": "RC", "RTR>RTS": "RC", "RTS>RTS": "RC",
		"": "UC UD RAW_PACKET"}},
}

// takenOut are attributes that the kernel takes out of the mask before it looks.
var takenOut = map[string][]string{
	"XRC_SEND": {"MAX_DEST_RD_ATOMIC", "MIN_RNR_TIMER"},
	"XRC_RECV": {"MAX_QP_RD_ATOMIC", "RETRY_CNT", "RNR_RETRY"},
}

// isTransition reports whether the kernel has a way between two states: RESET is reached from all, ERR from all but RESET.
func isTransition(from, to string) bool {
	switch to {
	case "RESET":
		return true
	case "ERR":
		return from != "RESET"
	}
	return slices.Contains(strings.Fields("RESET>INIT INIT>INIT INIT>RTR RTR>RTS RTS>RTS RTS>SQD SQD>RTS SQD>SQD SQE>RTS"), from+">"+to)
}

// kernelMasks returns the attributes that a transition needs, and those that it may have too.
func kernelMasks(kind, from, to string) (need, may []string) {
	of := func(types map[string]string) bool {
		return slices.Contains(strings.Fields(types[from+">"+to]+" "+types[""]), kind)
	}
	if from == to {
		may = append(may, "STATE")
	} else {
		need = append(need, "STATE")
	}
	for _, u := range attributeUses {
		switch {
		case of(u.needed):
			need = append(need, u.attribute)
		case of(u.allowed), slices.Contains(takenOut[kind], u.attribute):
			may = append(may, u.attribute)
		}
	}
	return need, may
}

// TestTransitionTables compares the rules about transitions with the transcription: for each type and each pair of states.
func TestTransitionTables(t *testing.T) {
	s := must(Embedded(""))(t)
	rules := map[string][]*Rule{}
	for _, r := range s.RulesOf("ibv_modify_qp") {
		if r.Kind == KindMaskForTransition {
			i := slices.IndexFunc(r.When, func(a Atom) bool { return a.Of == "qp.qp_type" })
			kind := strings.TrimPrefix(r.When[i].Eq, "IBV_QPT_")
			if kind != "DRIVER" { // whose table is not that of the kernel's qp_state_table
				rules[kind] = append(rules[kind], r)
			}
		}
	}
	kinds := []string{"RC", "UC", "UD", "RAW_PACKET", "XRC_SEND", "XRC_RECV"}
	if len(rules) != len(kinds) {
		t.Errorf("rules about transitions of %d types, not of %v", len(rules), kinds)
	}
	states := []string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}
	for _, kind := range kinds {
		if rules[kind] == nil {
			t.Errorf("no rule about the transitions of %s", kind)
		}
		for _, r := range rules[kind] {
			for _, from := range states {
				for _, to := range states {
					if problem := compareTransition(r, kind, from, to); problem != "" {
						t.Errorf("%s: %s from %s to %s: %s", r.ID, kind, from, to, problem)
					}
				}
			}
		}
	}
}

// compareTransition says how a rule differs from the transcription on one transition; empty when it does not.
func compareTransition(r *Rule, kind, from, to string) string {
	i := slices.IndexFunc(r.Transitions, func(w Transition) bool {
		return slices.Contains(w.From, "IBV_QPS_"+from) && slices.Contains(w.To, "IBV_QPS_"+to)
	})
	switch is := isTransition(from, to); {
	case is != (i >= 0):
		return fmt.Sprintf("in the rule: %v; in the kernel (attributeUses above): %v", i >= 0, is)
	case !is:
		return ""
	}
	need, may := kernelMasks(kind, from, to)
	for _, l := range []struct {
		what      string
		got, want []string
	}{{"needs", r.Transitions[i].Need, need}, {"may have", r.Transitions[i].May, may}} {
		var got []string
		for _, name := range l.got {
			got = append(got, strings.TrimPrefix(name, "IBV_QP_"))
		}
		slices.Sort(got)
		slices.Sort(l.want)
		if !slices.Equal(got, l.want) {
			return fmt.Sprintf("%s %v in the rule, %v in the kernel (attributeUses above)", l.what, got, l.want)
		}
	}
	return ""
}
