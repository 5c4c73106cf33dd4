//go:build linux && cgo

package device

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/runtime/verr"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// transitions returns the rule about the transitions of a type of queue pair, as far as they change the state.
func transitions(t *testing.T, pages *spec.Spec, kind string) *spec.Rule {
	for _, r := range pages.RulesOf("ibv_modify_qp") {
		of := func(a spec.Atom) bool { return a.Of == "qp.qp_type" && a.Eq == kind }
		kept := func(a spec.Atom) bool { return slices.Equal(a.Lacks, stateBit) }
		if r.Kind == spec.KindMaskForTransition && slices.ContainsFunc(r.When, of) && !slices.ContainsFunc(r.When, kept) {
			return r
		}
	}
	t.Fatalf("no rule about the transitions of %s", kind)
	return nil
}

// stateBit is the bit of the new state. Without it, soft-RoCE takes any mask in newer kernels: a rule that refuses a call must not
// speak of that.
var stateBit = []string{"IBV_QP_STATE"}

// way is the whole life of a queue pair up to the point where it sends.
var way = []string{"IBV_QPS_RESET", "IBV_QPS_INIT", "IBV_QPS_RTR", "IBV_QPS_RTS"}

// unlike are attributes that the table takes and soft-RoCE refuses: the kernel has alternate paths on InfiniBand ports only, and
// the library of soft-RoCE does not pass RATE_LIMIT on.
var unlike = []string{"IBV_QP_ALT_PATH", "IBV_QP_RATE_LIMIT"}

// TestTransitions holds the tables of the spec against the kernel: on each step of each type, the attributes that the step needs,
// then these with each one attribute more or less, are accepted by the one exactly when they are by the other.
func TestTransitions(t *testing.T) {
	real, name := library(t)
	pages, facts := must(spec.Embedded(""))(t), spec.NewFacts(must(api.Load(api.Newest()))(t).On(runtime.GOARCH))
	c := must(rulecall.Open(real, name, pages, facts))(t)
	t.Cleanup(c.Close)
	for _, kind := range []string{"IBV_QPT_RC", "IBV_QPT_UC", "IBV_QPT_UD"} {
		r := transitions(t, pages, kind)
		given := func(a spec.Atom) bool { return slices.Equal(a.Has, stateBit) }
		if r.Severity != spec.SeverityLint && !slices.ContainsFunc(r.When, given) {
			t.Errorf("%s refuses masks without IBV_QP_STATE, which newer kernels accept", r.ID)
		}
		for i := range way[1:] {
			at := slices.IndexFunc(r.Transitions, func(w spec.Transition) bool {
				return slices.Contains(w.From, way[i]) && slices.Contains(w.To, way[i+1])
			})
			tryStep(t, c, facts, kind, way[i], way[i+1], r.Transitions[at])
		}
	}
}

// good are attributes with which the kernel takes every change that it has nothing against. rulecall gives the path its GID.
var good = map[string]any{
	"path_mtu": 3, "path_mig_state": 0, "qkey": 0x11, "rq_psn": 1, "sq_psn": 1, "max_rd_atomic": 1, "max_dest_rd_atomic": 1,
	"min_rnr_timer": 12, "port_num": 1, "alt_port_num": 1, "timeout": 14, "alt_timeout": 14, "retry_cnt": 3, "rnr_retry": 3,
	"rate_limit": 1000, "ah_attr": map[string]any{"port_num": 1}, "alt_ah_attr": map[string]any{"port_num": 1}, "dest_qp_num": 1,
	"cap": map[string]any{"max_send_wr": 1, "max_recv_wr": 1, "max_send_sge": 1, "max_recv_sge": 1},
}

// tryStep tries one step with each mask.
func tryStep(t *testing.T, c *rulecall.Context, facts *spec.Facts, kind, from, to string, w spec.Transition) {
	mask := func(names []string) (sum uint32) {
		for _, n := range names {
			sum |= uint32(facts.Const(n).Uint64())
		}
		return sum
	}
	need, may := mask(w.Need), mask(w.May)
	refused, accepted := 0, 0
	for bit := uint32(0); bit < 1<<26; bit = max(1, bit<<1) {
		name := ""
		for _, m := range facts.Enum("ibv_qp_attr_mask").Enumerators {
			if m.Value == int64(bit) {
				name = m.Name
			}
		}
		mask := need ^ bit // the first time, when bit is 0, the step as it should be
		qp := must(c.QueuePair(kind, from))(t)
		attr := maps.Clone(good)
		attr["qp_state"], attr["cur_qp_state"] = to, from
		_, errno, err := c.Call("ibv_modify_qp", map[string]any{"qp": qp, "attr": attr, "attr_mask": int(mask)})
		if err != nil {
			t.Fatal(err)
		}
		takes := mask&need == need && mask&^(need|may) == 0
		switch {
		case name == stateBit[0]: // newer kernels ask nothing then
		case takes != (errno == 0) && !(takes && slices.Contains(unlike, name)):
			t.Errorf("%s %s to %s with 0x%x (%s) changed, mask 0x%x: the table takes it: %t, and the kernel: errno %d", kind, from, to, bit, name,
				mask, takes, errno)
		}
		if errno == 0 {
			accepted++
		} else {
			refused++
		}
		if _, errno, err := c.Call("ibv_destroy_qp", map[string]any{"qp": qp}); err != nil || errno != 0 {
			t.Errorf("destroying: %v, %s", err, verr.ErrnoName(errno))
		}
	}
	t.Logf("%s %s: %d masks accepted, %d refused", strings.TrimPrefix(kind, "IBV_QPT_"), to, accepted, refused)
	if accepted == 0 || refused < 10 {
		t.Errorf("%s to %s: %d masks accepted, %d refused: little was tried", kind, to, accepted, refused)
	}
}
