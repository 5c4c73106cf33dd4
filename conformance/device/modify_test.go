//go:build linux && cgo

package device

import (
	"fmt"
	"maps"
	"math/big"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/rulecall"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// table is the rule about the transitions of one type of queue pair, read from the spec.
type table struct {
	rule  *spec.Rule
	facts *spec.Facts
}

// tables returns the rules about transitions by type; those of changes that keep the state are others where they refuse nothing.
func tables(t *testing.T) map[string]table {
	t.Helper()
	sp := must(spec.Embedded(""))(t)
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t))
	out := map[string]table{}
	for _, r := range sp.RulesOf("ibv_modify_qp") {
		if r.Kind != spec.KindMaskForTransition ||
			slices.ContainsFunc(r.When, func(a spec.Atom) bool { return slices.Equal(a.Lacks, stateBit) }) {
			continue
		}
		for _, a := range r.When {
			if a.Of == "qp.qp_type" {
				out[a.Eq] = table{r, facts}
			}
		}
	}
	return out
}

// bits ors flags.
func (tb table) bits(names []string) uint32 {
	sum := new(big.Int)
	for _, n := range names {
		sum.Or(sum, tb.facts.Const(n))
	}
	return uint32(sum.Uint64())
}

// takes reports whether the table lets a mask pass on the way from one state to another. Without the bit of the state, the state
// stays.
func (tb table) takes(from, to string, mask uint32) bool {
	if mask&tb.bits(stateBit) == 0 {
		to = from
	}
	for _, w := range tb.rule.Transitions {
		if slices.Contains(w.From, from) && slices.Contains(w.To, to) {
			need, may := tb.bits(w.Need), tb.bits(w.May)
			return mask&need == need && mask&^(need|may) == 0
		}
	}
	return false
}

// need is what a way cannot do without.
func (tb table) need(from, to string) uint32 {
	for _, w := range tb.rule.Transitions {
		if slices.Contains(w.From, from) && slices.Contains(w.To, to) {
			return tb.bits(w.Need)
		}
	}
	return 0
}

// stateBit is the bit of the new state. Without it, soft-RoCE takes any mask in newer kernels: a rule that refuses a call must not
// speak of that.
var stateBit = []string{"IBV_QP_STATE"}

// silent reports whether a rule says nothing of a mask without the bit of the state, or nothing that refuses a call.
func (tb table) silent() bool {
	return tb.rule.Severity == spec.SeverityLint ||
		slices.ContainsFunc(tb.rule.When, func(a spec.Atom) bool { return slices.Equal(a.Has, stateBit) })
}

// way is the whole life of a queue pair up to the point where it sends.
var way = []string{"IBV_QPS_RESET", "IBV_QPS_INIT", "IBV_QPS_RTR", "IBV_QPS_RTS"}

// unlike are attributes that the table takes and soft-RoCE refuses: the kernel has alternate paths on InfiniBand ports only, and
// the library of soft-RoCE does not pass RATE_LIMIT on.
var unlike = []string{"IBV_QP_ALT_PATH", "IBV_QP_RATE_LIMIT"}

// TestTransitions holds the tables of the spec against the kernel: on each step of each type, the attributes that the step needs,
// then these with each one attribute more or less, are accepted by the one exactly when they are by the other.
func TestTransitions(t *testing.T) {
	real, name := library(t)
	facts := spec.NewFacts(must(api.Load(api.Newest()))(t).On(runtime.GOARCH))
	c := must(rulecall.Open(real, name, must(spec.Embedded(""))(t), facts))(t)
	t.Cleanup(c.Close)
	all := tables(t)
	for _, kind := range []string{"IBV_QPT_RC", "IBV_QPT_UC", "IBV_QPT_UD"} {
		tb, ok := all[kind]
		if !ok {
			t.Fatalf("no rule about the transitions of %s", kind)
		}
		if !tb.silent() {
			t.Errorf("%s refuses masks without IBV_QP_STATE, which newer kernels accept", tb.rule.ID)
		}
		for step := range way[1:] {
			t.Run(strings.TrimPrefix(kind, "IBV_QPT_")+" to "+strings.TrimPrefix(way[step+1], "IBV_QPS_"), func(t *testing.T) {
				stepAt(t, c, tb, kind, step)
			})
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

// stepAt tries one step with each mask.
func stepAt(t *testing.T, c *rulecall.Context, tb table, kind string, step int) {
	from, to := way[step], way[step+1]
	need := tb.need(from, to)
	refused, accepted := 0, 0
	for bit := uint32(0); bit < 1<<26; bit = max(1, bit<<1) {
		name := flagName(tb.facts, bit)
		mask := need ^ bit // the first time, when bit is 0, the step as it should be
		qp := must(c.QueuePair(kind, from))(t)
		attr := maps.Clone(good)
		attr["qp_state"], attr["cur_qp_state"] = to, from
		_, errno, err := c.Call("ibv_modify_qp", map[string]any{"qp": qp, "attr": attr, "attr_mask": int(mask)})
		if err != nil {
			t.Fatal(err)
		}
		takes := tb.takes(from, to, mask)
		if bit == tb.bits(stateBit) { // then newer kernels ask nothing
			takes = errno == 0
		}
		what := fmt.Sprintf("%s to %s with 0x%x (%s) changed, mask 0x%x", from, to, bit, name, mask)
		switch {
		case !takes && errno == 0:
			t.Errorf("%s: %s refuses what the kernel accepts", what, tb.rule.ID)
		case takes && errno != 0 && !slices.Contains(unlike, name):
			t.Errorf("%s: %s, and %s has nothing against it", what, errnoName(errno), tb.rule.ID)
		case errno == 0:
			accepted++
		default:
			refused++
		}
		if _, errno, err := c.Call("ibv_destroy_qp", map[string]any{"qp": qp}); err != nil || errno != 0 {
			t.Errorf("destroying: %v, %s", err, errnoName(errno))
		}
	}
	t.Logf("%d masks accepted, %d refused", accepted, refused)
	if accepted == 0 || refused < 10 {
		t.Errorf("%d masks accepted, %d refused: little was tried", accepted, refused)
	}
}

// flagName is the flag of a single bit of the mask.
func flagName(f *spec.Facts, bit uint32) string {
	for _, m := range f.Enum("ibv_qp_attr_mask").Enumerators {
		if m.Value == int64(bit) {
			return m.Name
		}
	}
	return ""
}
