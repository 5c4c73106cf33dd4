//go:build linux && cgo

package soak

import (
	"errors"
	"fmt"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func isUnsupported(err error) bool { return errors.Is(err, errors.ErrUnsupported) }

// failing are the verbs that are ordered to fail.
var failing = []string{"ibv_open_device", "ibv_import_device", "ibv_close_device", "ibv_query_gid", "ibv_alloc_pd", "ibv_dealloc_pd",
	"ibv_alloc_td", "ibv_dealloc_td", "ibv_alloc_parent_domain", "ibv_reg_mr", "ibv_reg_dmabuf_mr", "ibv_rereg_mr", "ibv_dereg_mr",
	"ibv_alloc_buf", "ibv_alloc_dm", "ibv_free_dm", "ibv_reg_dm_mr", "ibv_create_comp_channel", "ibv_destroy_comp_channel",
	"ibv_create_cq", "ibv_create_cq_ex", "ibv_resize_cq", "ibv_destroy_cq", "ibv_poll_cq", "ibv_start_poll", "ibv_req_notify_cq",
	"ibv_create_srq", "ibv_create_srq_ex", "ibv_modify_srq", "ibv_destroy_srq", "ibv_post_srq_recv", "ibv_open_xrcd", "ibv_close_xrcd",
	"ibv_alloc_mw", "ibv_dealloc_mw", "ibv_create_qp", "ibv_create_qp_ex", "ibv_wr_complete", "ibv_modify_qp", "ibv_query_qp",
	"ibv_destroy_qp", "ibv_post_send", "ibv_post_recv", "ibv_create_ah", "ibv_destroy_ah"}

// order makes one of the next calls of a verb fail.
func (w *worker) order(verb string) {
	w.soak.counts.orders.Add(1)
	err := w.soak.soft.Fail(verb, 1+w.rng.Uint64N(10), injected[w.rng.IntN(len(injected))])
	w.must(err)
}

func (w *worker) must(err error) {
	if err != nil {
		w.soak.problem("the software device takes no order: %v", err)
	}
}

// trouble orders something to go wrong.
func (w *worker) trouble() {
	soft, name := w.soak.soft, w.soak.slots[w.rng.IntN(len(w.soak.slots))].name
	switch p := w.rng.IntN(100); {
	case p < 70:
		w.order(failing[w.rng.IntN(len(failing))])
	case p < 85:
		statuses := []softverbs.Status{softverbs.StatusRemAccess, softverbs.StatusRemInvReq, softverbs.StatusRemOp}
		w.must(soft.FailRequest(1+w.rng.Uint64N(100), statuses[w.rng.IntN(len(statuses))]))
	case p < 88:
		w.soak.losing.Add(1)
		w.must(soft.LoseCompletion(1 + w.rng.Uint64N(100)))
	case p < 92:
		most := time.Duration(w.rng.IntN(300)) * time.Microsecond
		w.must(soft.DelayCompletions(most/2, most))
	case p < 94:
		w.must(soft.SetPort(name, 1, false))
		time.Sleep(time.Duration(w.rng.IntN(5)) * time.Millisecond)
		w.must(soft.SetPort(name, 1, true))
	default:
		w.hold()
	}
}

// hold keeps back the completions of a queue pair for a moment.
func (w *worker) hold() {
	l := w.soak.links.some(w.rng)
	if l == nil {
		return
	}
	defer l.users.RUnlock()
	held := w.soak.soft.HoldCompletions(l.a.hub.name, l.a.num, true)
	time.Sleep(time.Duration(w.rng.IntN(1000)) * time.Microsecond)
	if held == nil {
		_ = w.soak.soft.HoldCompletions(l.a.hub.name, l.a.num, false) // it may be gone
	}
}

// calm ends the trouble that lasts.
func (s *soak) calm() {
	if err := s.soft.DelayCompletions(0, 0); err != nil {
		s.problem("%v", err)
	}
	for _, sl := range s.slots {
		if err := s.soft.SetPort(sl.name, 1, true); err != nil {
			s.problem("%v", err)
		}
	}
}

// guest has a software device of its own, which is taken away under traffic.
func (w *worker) guest() {
	soft := softverbs.New(softverbs.Name("guest0"), softverbs.AnotherDevice("guest1"))
	err := func() error {
		lib, err := verbs.LoadFrom(soft)
		if err != nil {
			return err
		}
		one, err := lib.OpenDevice("guest0")
		if err != nil {
			return err
		}
		two, err := lib.OpenDevice("guest1")
		if err != nil {
			return err
		}
		a, b, err := verbstest.Connect(one, two)
		if err != nil {
			return err
		}
		batch, err := verbs.NewSendBatch(verbstest.Depth, 1)
		if err != nil {
			return err
		}
		for i := range batch.Len() {
			batch.WR(i).Write(uint64(i), b.MR.IOVA(), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, verbstest.Size)).Flags(verbs.SendSignaled)
		}
		if _, err := a.QP.PostSend(batch, batch.Len()); err != nil {
			return err
		}
		time.Sleep(time.Duration(w.rng.IntN(100)) * time.Microsecond)
		if w.rng.IntN(2) == 0 {
			err = soft.TakeAway("guest0")
		}
		return errors.Join(err, one.CloseAll(), two.CloseAll(), batch.Close())
	}()
	if leaks := soft.Leaks(); len(leaks) > 0 {
		err = errors.Join(err, fmt.Errorf("left: %q", leaks))
	}
	if err = errors.Join(err, soft.Close()); err != nil {
		w.soak.problem("a device of one goroutine: %v", err)
	}
}
