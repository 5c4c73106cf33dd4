//go:build linux && cgo

package libs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/spec/api"
)

// headerVerb is a verb that the header has as an inline function: it goes through an operation of the context.
type headerVerb struct {
	verb, op string
	call     func(b *beds) error
}

// beds is an open device with one object of each kind that a call needs.
type beds struct {
	*bed
	dm *verbs.DM
	td *verbs.TD
	cq *verbs.CQ
	qp *verbs.QP

	srq      *verbs.SRQ
	ud       *verbs.QP
	xrcd     *verbs.XRCD
	mw       *verbs.MW
	wq       *verbs.WQ
	table    *verbs.RWQIndTable
	action   *verbs.FlowAction
	flow     *verbs.Flow
	counters *verbs.Counters
}

// headerVerbs are those that need more than numbers and the objects of a bed, in an order in which each finds its objects: a Close that
// fails leaves its object open. allHeaderVerbs adds the others.
var headerVerbs = []headerVerb{
	{"ibv_alloc_dm", "alloc_dm", func(b *beds) (err error) { b.dm, err = b.dev.AllocDM(verbs.NewAllocDMAttr(64)); return }},
	{"ibv_free_dm", "free_dm", func(b *beds) error { return b.dm.Close() }},
	{"ibv_reg_dm_mr", "reg_dm_mr", func(b *beds) error { return only(b.pd.RegDMMR(b.dm, 0, 64, verbs.DMAccessZeroBased)) }},
	{"ibv_alloc_td", "alloc_td", func(b *beds) (err error) { b.td, err = b.dev.AllocTD(); return }},
	{"ibv_dealloc_td", "dealloc_td", func(b *beds) error { return b.td.Close() }},
	{"ibv_alloc_parent_domain", "alloc_parent_domain",
		func(b *beds) error { return only(b.dev.AllocParentDomain(verbs.NewParentDomainAttr(b.pd))) }},
	{"ibv_req_notify_cq", "req_notify_cq", func(b *beds) error { return b.cq.ReqNotify(false) }},
	{"ibv_poll_cq", "poll_cq", func(b *beds) error { return only(b.cq.PollInto(make([]verbs.WC, 1))) }},
	{"ibv_post_send", "post_send", func(b *beds) error {
		batch, err := verbs.NewSendBatch(1, 1)
		if err != nil {
			return err
		}
		defer batch.Close()
		return only(b.qp.PostSend(batch, 1))
	}},
	{"ibv_post_recv", "post_recv", func(b *beds) error { return receive(b.qp) }},
	{"ibv_post_srq_recv", "post_srq_recv", func(b *beds) error { return receive(b.srq) }},
	{"ibv_create_cq_ex", "create_cq_ex", func(b *beds) error { return only(b.dev.CreateCQEx(verbs.NewCQInitAttrEx(1, 0))) }},
	{"ibv_modify_cq", "modify_cq", func(b *beds) error { return b.cq.Modify(verbs.NewModifyCQAttr().Count(1).Period(1)) }},
	{"ibv_open_xrcd", "open_xrcd", func(b *beds) (err error) {
		b.xrcd, err = b.dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT))
		return err
	}},
	{"ibv_open_qp", "open_qp", func(b *beds) error { return only(b.dev.OpenQP(verbs.NewQPOpenAttr(b.xrcd, 1, verbs.QPTypeXRCRecv))) }},
	{"ibv_create_srq_ex", "create_srq_ex", func(b *beds) error {
		return only(b.dev.CreateSRQEx(verbs.NewSRQInitAttrEx(b.pd, 1, 1).Type(verbs.SRQTypeXRC).XRCD(b.xrcd).CQ(b.cq)))
	}},
	{"ibv_alloc_mw", "alloc_mw", func(b *beds) (err error) { b.mw, err = b.pd.AllocMW(verbs.MWType1); return }},
	{"ibv_dealloc_mw", "dealloc_mw", func(b *beds) error { return b.mw.Close() }},
	{"ibv_modify_wq", "modify_wq", func(b *beds) (err error) {
		if b.wq, err = b.dev.CreateWQ(verbs.NewWQInitAttr(b.pd, b.cq).MaxWR(1).MaxSGE(1).Flags(0)); err != nil {
			return err
		}
		return b.wq.Modify(verbs.NewWQAttr().State(verbs.WQStateRdy))
	}},
	{"ibv_destroy_wq", "destroy_wq", func(b *beds) error { return b.wq.Close() }},
	{"ibv_create_rwq_ind_table", "create_rwq_ind_table", func(b *beds) (err error) {
		b.table, err = b.dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{b.wq}))
		return err
	}},
	{"ibv_destroy_rwq_ind_table", "destroy_rwq_ind_table", func(b *beds) error { return b.table.Close() }},
	{"ibv_create_flow_action_esp", "create_flow_action_esp", func(b *beds) (err error) {
		keys := &verbs.FlowActionESPKeymatAESGCM{Key: make([]byte, 16), Salt: 1, ICVLen: 16}
		b.action, err = b.dev.CreateFlowActionESP(verbs.NewFlowActionESPAttr().ESP(&verbs.FlowActionESP{}).Keymat(keys))
		return err
	}},
	{"ibv_modify_flow_action_esp", "modify_flow_action_esp",
		func(b *beds) error { return b.action.ModifyESP(verbs.NewFlowActionESPAttr().ESN(1)) }},
	{"ibv_destroy_flow_action", "destroy_flow_action", func(b *beds) error { return b.action.Close() }},
	{"ibv_modify_qp_rate_limit", "modify_qp_rate_limit",
		func(b *beds) error { return b.qp.ModifyRateLimit(verbs.NewQPRateLimitAttr(1000)) }},
	{"ibv_create_flow", "ibv_create_flow", func(b *beds) (err error) {
		b.flow, err = b.ud.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1))
		return err
	}},
	{"ibv_destroy_flow", "ibv_destroy_flow", func(b *beds) error { return b.flow.Close() }},
	{"ibv_create_counters", "create_counters",
		func(b *beds) (err error) { b.counters, err = b.dev.CreateCounters(); return }},
	{"ibv_attach_counters_point_flow", "attach_counters_point_flow", func(b *beds) error {
		return b.counters.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil)
	}},
	{"ibv_read_counters", "read_counters", func(b *beds) error { return b.counters.Read(make([]uint64, 1), 0) }},
	{"ibv_destroy_counters", "destroy_counters", func(b *beds) error { return b.counters.Close() }},
}

func only(_ any, err error) error { return err }

// receive posts a receive.
func receive(q interface {
	PostRecv(*verbs.RecvBatch, int) (int, error)
}) error {
	batch, err := verbs.NewRecvBatch(1, 1)
	if err != nil {
		return err
	}
	defer batch.Close()
	return only(q.PostRecv(batch, 1))
}

// allHeaderVerbs are all bound verbs that the header dispatches to an operation of the context, by the facts of the newest release.
func allHeaderVerbs(t *testing.T) []headerVerb {
	t.Helper()
	sp := pages(t)
	newest, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	var derived []headerVerb
	for _, h := range headerVerbs {
		if sp.VerbByC(h.verb) == nil {
			t.Errorf("%s, of headerVerbs, is not bound", h.verb)
		}
	}
	for _, f := range newest.Functions {
		v := sp.VerbByC(f.Name)
		if f.Dispatch == nil || f.Dispatch.Way != api.WayVerbs && f.Dispatch.Way != api.WayOps || v == nil {
			continue
		}
		if !slices.ContainsFunc(headerVerbs, func(h headerVerb) bool { return h.verb == f.Name && h.op == f.Dispatch.Op }) {
			derived = append(derived, headerVerb{f.Name, f.Dispatch.Op, func(b *beds) error { return b.derived(v) }})
		}
	}
	if len(derived) == 0 {
		t.Error("the facts have no other bound verb that goes through an operation")
	}
	return slices.Concat(headerVerbs, derived)
}

// TestContext drives a context that gcc laid out by the release's own header: every verb of the header finds its operation
// there, and one that the release does not have yet is errors.ErrUnsupported.
func TestContext(t *testing.T) {
	release := facts(t, library(t))
	_, err := os.Stat(filepath.Join(*includeFlag, "infiniband/verbs.h"))
	needed(t, err)
	p, err := buildProvider(t.TempDir(), *includeFlag, release)
	if err != nil {
		t.Fatal(err)
	}
	b := &beds{bed: open(t, p)}
	if n := b.dev.NumCompVectors(); n != 3 {
		t.Errorf("num_comp_vectors is %d", n)
	}
	if b.cq, err = b.dev.CreateCQ(4, nil, 0); err != nil {
		t.Fatal(err)
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: b.cq, RecvCQ: b.cq}
	if b.qp, err = b.pd.CreateQP(attr); err != nil {
		t.Fatal(err)
	}
	if b.ud, err = b.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: b.cq, RecvCQ: b.cq}); err != nil {
		t.Fatal(err)
	}
	if b.srq, err = b.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1}); err != nil {
		t.Fatal(err)
	}
	for _, v := range allHeaderVerbs(t) {
		want, has := p.numbers[v.op]
		p.call("libs_reached")
		err := v.call(b)
		got := p.call("libs_reached")
		probed := errors.Is(err, syscall.EIO) && got == p.numbers["query_device_ex"] // whether the device is still there
		switch {
		case !has && (got != 0 || !errors.Is(err, errors.ErrUnsupported)):
			t.Errorf("%s: %s has no %s, and the call reached operation %d: %v", v.verb, release.Release, v.op, got, err)
		case has && got != want && !probed:
			t.Errorf("%s reached operation %d, not %s (%d): %v", v.verb, got, v.op, want, err)
		case has && err != nil && v.verb != "ibv_poll_cq" && !errors.Is(err, syscall.Errno(want)):
			t.Errorf("%s: %v", v.verb, err)
		}
	}
}
