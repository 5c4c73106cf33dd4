// Package agent is a prober that sleeps: completions and events of the device come by contexts.
package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	flagged = verbs.SendSignaled | verbs.SendSolicited
	room    = 256
	slots   = 32
)

type options struct {
	device string
	port   uint8
	gid    int // below 0: the best
	access verbs.MRAccess
}

type agent struct {
	opts    options
	dev     *verbs.Device
	pd      *verbs.PD
	channel *verbs.CompChannel
	cq      *verbs.CQ
	qp      *verbs.QP
	self    verbs.GID

	mu    sync.Mutex // guards sends
	sends *verbs.SendBatch
	recvs *verbs.RecvBatch
	down  atomic.Bool
	count [3]atomic.Uint64
}

func defaults() options { return options{port: 1, gid: -1, access: verbs.MRAccessLocalWrite} }

func newAgent(lib *verbs.Lib, opts options) (a *agent, err error) {
	a = &agent{opts: opts}
	if a.dev, err = lib.OpenDevice(opts.device); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.dev.CloseAll())
		}
	}()
	if err := a.queues(); err != nil {
		return nil, err
	}
	return a, a.memory()
}

func (a *agent) queues() (err error) {
	entry, err := a.dev.ChooseGID(a.opts.port)
	if a.opts.gid >= 0 {
		entry.GID, err = a.dev.QueryGID(a.opts.port, a.opts.gid)
	}
	if err != nil {
		return err
	}
	a.self = entry.GID
	caps, err := a.dev.QueryDevice()
	if err != nil {
		return err
	}
	n := min(slots, caps.MaxQPWR)
	if a.channel, err = a.dev.CreateCompChannel(); err != nil {
		return err
	}
	if a.cq, err = a.dev.CreateCQ(2*n, a.channel, 0); err != nil {
		return err
	}
	if a.pd, err = a.dev.AllocPD(); err != nil {
		return err
	}
	a.qp, err = a.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: a.cq, RecvCQ: a.cq, MaxSendWR: uint32(n),
		MaxRecvWR: uint32(n), MaxSendSGE: 1, MaxRecvSGE: 1, MaxInlineData: room})
	if err != nil {
		return err
	}
	return (verbs.UDSetup{PortNum: a.opts.port, QKey: 7}).ToRTS(a.qp)
}

func (a *agent) memory() error {
	mem := make([]byte, slots*(room+verbs.GRHSize))
	mr, err := a.pd.RegMR(mem, a.opts.access)
	if err != nil {
		return err
	}
	if a.sends, err = verbs.NewSendBatch(slots, 1, verbs.InlineRoom(room)); err != nil {
		return err
	}
	if a.recvs, err = verbs.NewRecvBatch(slots, 1); err != nil {
		return err
	}
	for i := range slots {
		part, err := mr.SGE(uint64(i*(room+verbs.GRHSize)), room+verbs.GRHSize)
		if err != nil {
			return err
		}
		a.recvs.WR(i).Recv(uint64(i)).Add(part)
	}
	_, err = a.qp.PostRecv(a.recvs, slots)
	return err
}

// send sends one message inline; the batch is shared, so that a lock guards it.
func (a *agent) send(ah *verbs.AH, qpn uint32, text []byte, last bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	wr := a.sends.WR(0)
	wr.Send(1).InlineData(text)
	if last {
		wr.Flags(flagged)
	}
	if err := ah.Address(wr, qpn, 7); err != nil {
		return err
	}
	if _, err := a.qp.PostSend(a.sends, 1); errors.Is(err, verbs.ErrQueueFull) {
		a.count[2].Add(1)
	} else if err != nil {
		return fmt.Errorf("sending to %d: %w", qpn, err)
	}
	a.count[0].Add(1)
	return nil
}

func (a *agent) serve(ctx context.Context) error {
	wcs := make([]verbs.WC, slots)
	for {
		n, err := a.cq.Wait(ctx, wcs)
		if err != nil {
			return err
		}
		for _, wc := range wcs[:n] {
			switch err := wc.Err(); {
			case err != nil:
				return err
			case wc.Opcode == verbs.WCOpcodeRecv:
				a.count[1].Add(1)
				if _, err := a.qp.PostRecvRange(a.recvs.From(int(wc.ID), 1)); err != nil {
					return err
				}
			}
		}
	}
}

// arm is serve by hand: events are requested, and acknowledged.
func (a *agent) arm(ctx context.Context) error {
	if err := a.cq.ReqNotify(false); err != nil {
		return err
	}
	ev, err := a.channel.Next(ctx)
	if err != nil {
		return err
	}
	ev.Done()
	return nil
}

func (a *agent) watch(ctx context.Context) error {
	for {
		ev, err := a.dev.NextEvent(ctx)
		if err != nil {
			return err
		}
		switch ev.Type {
		case verbs.EventTypePortErr:
			a.down.Store(true)
		case verbs.EventTypePortActive:
			a.down.Store(false)
		}
		ev.Done()
	}
}

func (a *agent) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, f := range []func(context.Context) error{a.serve, a.watch} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = f(ctx)
		}()
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), a.dev.CloseAll())
}
