package explain

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// setter gives one attribute, to a builder and to a case.
type setter struct {
	bit   uint32
	field string
	value any
	set   func(*verbs.QPAttr)
}

// setters are attributes that all have values which break no rule by themselves.
func setters(gid verbs.GID) []setter {
	ah := func() verbs.AHAttr { return verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1} }
	return []setter{
		{1 << 1, "cur_qp_state", 3, func(a *verbs.QPAttr) { a.CurState(verbs.QPStateRTS) }},
		{1 << 3, "qp_access_flags", 0, func(a *verbs.QPAttr) { a.AccessFlags(0) }},
		{1 << 4, "pkey_index", 0, func(a *verbs.QPAttr) { a.PKeyIndex(0) }},
		{1 << 5, "port_num", 1, func(a *verbs.QPAttr) { a.PortNum(1) }},
		{1 << 6, "qkey", 17, func(a *verbs.QPAttr) { a.QKey(17) }},
		{1 << 7, "ah_attr", map[string]any{"is_global": 1, "port_num": 1}, func(a *verbs.QPAttr) { a.AV(ah()) }},
		{1 << 8, "path_mtu", 3, func(a *verbs.QPAttr) { a.PathMTU(verbs.MTU1024) }},
		{1 << 9, "timeout", 14, func(a *verbs.QPAttr) { a.Timeout(14) }},
		{1 << 10, "retry_cnt", 7, func(a *verbs.QPAttr) { a.RetryCnt(7) }},
		{1 << 11, "rnr_retry", 7, func(a *verbs.QPAttr) { a.RNRRetry(7) }},
		{1 << 12, "rq_psn", 0, func(a *verbs.QPAttr) { a.RQPSN(0) }},
		{1 << 13, "max_rd_atomic", 1, func(a *verbs.QPAttr) { a.MaxRDAtomic(1) }},
		{1 << 15, "min_rnr_timer", 12, func(a *verbs.QPAttr) { a.MinRNRTimer(12) }},
		{1 << 16, "sq_psn", 0, func(a *verbs.QPAttr) { a.SQPSN(0) }},
		{1 << 17, "max_dest_rd_atomic", 1, func(a *verbs.QPAttr) { a.MaxDestRDAtomic(1) }},
		{1 << 20, "dest_qp_num", 17, func(a *verbs.QPAttr) { a.DestQPNum(17) }},
		{1 << 25, "rate_limit", 9, func(a *verbs.QPAttr) { a.RateLimit(9) }},
	}
}

// steps are the masks that bring a queue pair of each type from RESET to RTS.
var steps = map[verbs.QPType][]uint32{
	verbs.QPTypeRC: {1 | 1<<3 | 1<<4 | 1<<5, 1 | 1<<7 | 1<<8 | 1<<12 | 1<<15 | 1<<17 | 1<<20, 1 | 1<<9 | 1<<10 | 1<<11 | 1<<13 | 1<<16},
	verbs.QPTypeUC: {1 | 1<<3 | 1<<4 | 1<<5, 1 | 1<<7 | 1<<8 | 1<<12 | 1<<20, 1 | 1<<16},
	verbs.QPTypeUD: {1 | 1<<4 | 1<<5 | 1<<6, 1, 1 | 1<<16},
}

// TestGeneratedModify holds the generated validator of ibv_modify_qp against Evaluate: on the way of a queue pair from RESET to
// RTS, a change to each state, with the attributes of each step and with each one of them more or less, is refused by the same
// rules; where it fails on the device, the error tells of the same lints.
func TestGeneratedModify(t *testing.T) {
	_, judge := newest(t)
	c := &modifying{t: t, dev: device(t), judge: judge, ids: map[string]int{}}
	c.prepare()
	for _, kind := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD} {
		for state := range 4 {
			for next := range 8 {
				for _, base := range append([]uint32{1}, steps[kind]...) {
					c.try(kind, state, next, base)
					for _, s := range c.setters {
						c.try(kind, state, next, base^s.bit)
					}
				}
			}
		}
	}
	t.Logf("%d calls: %d done, %d refused, %d failed; rules and lints that spoke: %v", c.calls, c.done, c.refused, c.failed, c.ids)
	if c.done == 0 || c.refused == 0 || c.failed == 0 || len(c.ids) < 6 {
		t.Error("the contest shows little")
	}
}

// modifying counts the calls that went through both readings.
type modifying struct {
	t                            *testing.T
	dev                          *verbs.Device
	pd                           *verbs.PD
	cq                           *verbs.CQ
	judge                        *Checker
	setters                      []setter
	calls, done, refused, failed int
	ids                          map[string]int
}

func (c *modifying) prepare() {
	gid, err := c.dev.QueryGID(1, 0)
	c.need(err)
	c.setters = setters(gid)
	c.pd, err = c.dev.AllocPD()
	c.need(err)
	c.cq, err = c.dev.CreateCQ(4, nil, 0)
	c.need(err)
}

func (c *modifying) need(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// attr makes the change that a mask tells, for the bindings and as arguments of a case.
func (c *modifying) attr(next int, mask uint32) (*verbs.QPAttr, map[string]any) {
	a, args := verbs.NewQPAttr(verbs.QPState(next)), map[string]any{"qp_state": next}
	for _, s := range c.setters {
		if mask&s.bit != 0 {
			s.set(a)
			args[s.field] = s.value
		}
	}
	return a, args
}

// try makes one call on a new queue pair in the state.
func (c *modifying) try(kind verbs.QPType, state, next int, mask uint32) {
	c.t.Helper()
	qp, err := c.pd.CreateQP(verbs.QPInitAttr{
		Type: kind, SendCQ: c.cq, RecvCQ: c.cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1,
	})
	c.need(err)
	defer qp.Close()
	for i := range state {
		a, _ := c.attr(i+1, steps[kind][i])
		c.need(qp.Modify(a))
	}
	a, attr := c.attr(next, mask)
	err = qp.Modify(a)
	r := c.judge.Evaluate(Case{Verb: "ibv_modify_qp", Args: map[string]any{
		"qp": map[string]any{"qp_type": int(kind), "state": state}, "attr": attr, "attr_mask": hex(mask)}})
	var e *verr.Error
	var got []string
	c.calls++
	switch {
	case err == nil:
		c.done++
	case errors.As(err, &e) && e.Refused:
		c.refused++
		for _, v := range e.Violations {
			got = append(got, v.Rule.ID)
			c.ids[v.Rule.ID]++
		}
	default:
		c.failed++
		for _, id := range r.Lints {
			c.ids[id]++
			if !strings.Contains(err.Error(), id) {
				c.t.Errorf("%v, %d to %d, mask 0x%x: the error does not tell of %s: %v", kind, state, next, mask, id, err)
			}
		}
	}
	if r.Verdict == Unknown || !slices.Equal(got, r.Rules) {
		c.t.Errorf("%v, %d to %d, mask 0x%x: generated %v, evaluated %s %v %v", kind, state, next, mask, got, r.Verdict, r.Rules, r.Messages)
	}
}
