//go:build linux && cgo

package conformance

import (
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestForbiddenByHistory makes calls that pages forbid for what was, or was not, called before. No case of a rule shows such a call,
// so each is made here. It must be refused, and in the places named: C would end the process, wait for ever, or read what is gone.
func TestForbiddenByHistory(t *testing.T) {
	type world struct {
		*bed
		pd *verbs.PD
		cq *verbs.CQ
	}
	queue := func(t *testing.T, w world, kind verbs.QPType) *verbs.QP {
		return must(w.pd.CreateQP(verbs.QPInitAttr{
			Type: kind, SendCQ: w.cq, RecvCQ: w.cq, MaxRecvWR: 1, MaxRecvSGE: 1, MaxSendWR: 1, MaxSendSGE: 1,
		}))(t)
	}
	group := verbs.GID(netip.MustParseAddr("ff12::1").As16())
	for _, c := range []struct {
		page, what string
		want       error
		call       func(t *testing.T, w world) error
	}{
		{"ibv_create_cq_ex", "a field is read that was not asked for", syscall.EINVAL, func(t *testing.T, w world) error { // C jumps to NULL
			cq := must(w.dev.CreateCQEx(verbs.NewCQInitAttrEx(1, verbs.WCFieldByteLen)))(t)
			_, err := cq.Reader(verbs.WCFieldByteLen | verbs.WCFieldImm)
			return err
		}},
		// nor has it functions
		{"ibv_create_cq_ex", "a queue is read that was not made for it", syscall.EOPNOTSUPP, func(_ *testing.T, w world) error {
			_, err := w.cq.Reader(0)
			return err
		}},
		{"ibv_wr_post", "a request is built that was not asked for", syscall.EINVAL, func(t *testing.T, w world) error { // C jumps to NULL
			_, _, stream, _ := streams(t, w.dev, verbs.QPTypeRC, verbs.QPOpSend)
			batch := must(verbs.NewSendBatch(1, 1))(t)
			defer batch.Close()
			batch.WR(0).Write(1, 0, 0)
			_, err := stream.Post(batch, 1)
			return err
		}},
		{"ibv_wr_post", "requests are built on a queue pair that was asked for none", syscall.EOPNOTSUPP, func(t *testing.T, w world) error {
			_, err := queue(t, w, verbs.QPTypeRC).Stream()
			return err
		}},
		// C waits
		{"ibv_get_cq_event", "a queue is destroyed with an event that nobody acknowledged", syscall.EBUSY, func(t *testing.T, w world) error {
			b := arrivals(t, w.dev)
			b.next(t)
			return b.close()
		}},
		// C ends the process, or waits no more
		{"ibv_get_cq_event", "an event is acknowledged twice, for another one too", syscall.EBUSY, func(t *testing.T, w world) error {
			b := arrivals(t, w.dev)
			first := b.next(t)
			b.next(t)
			first.Done()
			first.Done()
			return b.close()
		}},
		// C waits
		{"ibv_get_async_event", "a queue is destroyed with an event that nobody acknowledged", syscall.EBUSY, func(t *testing.T, w world) error {
			cq, ev := overflow(t, w.dev)
			t.Cleanup(ev.Done)
			return cq.Close()
		}},
		{"ibv_create_comp_channel", "a channel is destroyed before its queue", syscall.EBUSY, func(t *testing.T, w world) error {
			ch := must(w.dev.CreateCompChannel())(t)
			must(w.dev.CreateCQ(1, ch, 0))(t)
			return ch.Close()
		}},
		{"ibv_create_cq", "a queue is destroyed before its queue pair", syscall.EBUSY, func(t *testing.T, w world) error {
			queue(t, w, verbs.QPTypeRC)
			return w.cq.Close()
		}},
		{"ibv_attach_mcast", "a queue pair leaves a group that it left before", syscall.EINVAL, func(t *testing.T, w world) error {
			qp := queue(t, w, verbs.QPTypeUD)
			if err := errors.Join(qp.AttachMcast(group, 0), qp.DetachMcast(group, 0)); err != nil {
				t.Fatal(err)
			}
			return qp.DetachMcast(group, 0)
		}},
		{"ibv_attach_mcast", "a queue pair is destroyed in a group", syscall.EBUSY, func(t *testing.T, w world) error {
			qp := queue(t, w, verbs.QPTypeUD)
			if err := qp.AttachMcast(group, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := qp.DetachMcast(group, 0); err != nil {
					t.Error(err)
				}
			})
			return qp.Close()
		}},
		// C reads what is gone
		{"ibv_create_qp", "a request is posted to a queue pair that was destroyed", os.ErrClosed, func(t *testing.T, w world) error {
			qp := queue(t, w, verbs.QPTypeRC)
			if err := qp.Close(); err != nil {
				t.Fatal(err)
			}
			batch := must(verbs.NewSendBatch(1, 1))(t)
			defer batch.Close()
			batch.WR(0).Send(1)
			_, err := qp.PostSend(batch, 1)
			return err
		}},
		{"ibv_reg_mr", "a region is deregistered twice", os.ErrClosed, func(t *testing.T, w world) error { // C frees it twice
			mr := must(w.pd.RegMR(make([]byte, 64), 0))(t)
			if err := mr.Close(); err != nil {
				t.Fatal(err)
			}
			return mr.Close()
		}},
		{"ibv_import_dm", "device memory is freed that another context freed", syscall.ENOENT, func(t *testing.T, w world) error {
			dm := must(w.dev.AllocDM(verbs.NewAllocDMAttr(64)))(t)
			if err := must(importer(t, w.bed).ImportDM(dm.Handle(), 64))(t).Destroy(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = dm.Unimport() })
			return dm.Close()
		}},
		{"ibv_attach_counters_point_flow", "counters are given something to count after a flow has them", syscall.EBUSY,
			func(t *testing.T, w world) error {
				return counting(t, w.dev, queue(t, w, verbs.QPTypeUD)).AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionBytes, 1), nil)
			}},
		{"ibv_create_counters", "counters are destroyed before their flow", syscall.EBUSY, func(t *testing.T, w world) error {
			return counting(t, w.dev, queue(t, w, verbs.QPTypeUD)).Close()
		}},
		{"ibv_create_rwq_ind_table", "a work queue is destroyed before its table", syscall.EBUSY, func(t *testing.T, w world) error {
			wq := must(w.dev.CreateWQ(verbs.NewWQInitAttr(w.pd, w.cq).MaxWR(1).MaxSGE(1)))(t)
			must(w.dev.CreateRWQIndTable(verbs.NewRWQIndTableInitAttr([]*verbs.WQ{wq})))(t)
			return wq.Close()
		}},
		{"ibv_alloc_buf", "a buffer is freed before its region", syscall.EBUSY, func(t *testing.T, w world) error {
			buf := must(w.pd.AllocBuf(4096))(t)
			must(w.pd.RegBufMR(buf, buf.Addr(), 4096, 0))(t)
			return buf.Close()
		}},
	} {
		t.Run(c.page+": "+c.what, func(t *testing.T) {
			b := open(t)
			if err := c.call(t, world{b, must(b.dev.AllocPD())(t), must(b.dev.CreateCQ(1, nil, 0))(t)}); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// arriving is the end of a connection at which completions are told as they come.
type arriving struct{ from, to *link.End }

func arrivals(t *testing.T, dev *verbs.Device) *arriving {
	t.Helper()
	a, b := pair(t, dev)
	return &arriving{a, b}
}

// next has a request arrive, and gives its event.
func (a *arriving) next(t *testing.T) *verbs.CQEvent {
	t.Helper()
	recv, send := must(verbs.NewRecvBatch(1, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	defer recv.Close()
	defer send.Close()
	recv.WR(0).Recv(1).Add(a.to.MR.UncheckedSGE(0, 64))
	send.WR(0).Send(2).Add(a.from.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	if err := a.to.CQ.ReqNotify(false); err != nil {
		t.Fatal(err)
	}
	_, err := a.to.QP.PostRecv(recv, 1)
	_, also := a.from.QP.PostSend(send, 1)
	if err := errors.Join(err, also); err != nil {
		t.Fatal(err)
	}
	ev := must(a.to.Ch.Next(bounded(t)))(t)
	t.Cleanup(ev.Done) // or the device could not be closed
	must(a.to.Wait())(t)
	must(a.from.Wait())(t)
	return ev
}

// close closes the queue pair, and says what its queue says.
func (a *arriving) close() error {
	if err := a.to.QP.Close(); err != nil {
		return err
	}
	return a.to.CQ.Close()
}

// counting returns counters that a flow has.
func counting(t *testing.T, dev *verbs.Device, qp *verbs.QP) *verbs.Counters {
	t.Helper()
	counters := must(dev.CreateCounters())(t)
	if err := counters.AttachFlow(verbs.NewCounterAttachAttr(verbs.CounterDescriptionPackets, 0), nil); err != nil {
		t.Fatal(err)
	}
	must(qp.CreateFlow(verbs.NewFlowAttr(verbs.FlowTypeNormal, 1).Specs(&verbs.FlowSpecCount{Counters: counters})))(t)
	return counters
}
