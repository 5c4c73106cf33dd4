// Package prober probes the peers of a fleet by datagrams: a thread for each device, which polls.
package prober

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

const (
	depth   = 64
	payload = 64
	key     = 0x11
)

type peer struct {
	gid verbs.GID
	qpn uint32
	ah  *verbs.AH
}

type prober struct {
	dev   *verbs.Device
	pd    *verbs.PD
	cq    *verbs.CQ
	qp    *verbs.QP
	mr    *verbs.MR
	mem   []byte
	sends *verbs.SendBatch
	recvs *verbs.RecvBatch
	index uint8
	peers []*peer
	sent  atomic.Uint64
	lost  atomic.Uint64
}

// open opens the device with a name, or the first one.
func open(lib *verbs.Lib, name string) (*prober, error) {
	dev, err := lib.OpenDevice(name)
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", name, err)
	}
	p := &prober{dev: dev, mem: make([]byte, depth*(payload+verbs.GRHSize))}
	if err := p.setup(1); err != nil {
		return nil, errors.Join(err, dev.CloseAll())
	}
	return p, nil
}

// choose returns the first entry of RoCE v2 with an address of IPv4, and otherwise that of index 0.
func choose(dev *verbs.Device, port uint8) (uint8, error) {
	all, err := dev.GIDTable()
	if err != nil {
		return 0, err
	}
	for _, e := range all {
		if e.GIDType == verbs.GIDTypeRoCEV2 && e.PortNum == uint32(port) {
			return uint8(e.GIDIndex), nil
		}
	}
	_, err = dev.QueryGID(port, 0)
	return 0, err
}

func (p *prober) setup(port uint8) (err error) {
	if p.index, err = choose(p.dev, port); err != nil {
		return err
	}
	if p.pd, err = p.dev.AllocPD(); err != nil {
		return err
	}
	if p.cq, err = p.dev.CreateCQ(2*depth, nil, 0); err != nil {
		return err
	}
	access := verbs.MRAccessLocalWrite
	if p.mr, err = p.pd.RegMR(p.mem, access); err != nil {
		return err
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: p.cq, RecvCQ: p.cq}
	attr.MaxSendWR, attr.MaxRecvWR = depth, depth
	attr.MaxSendSGE, attr.MaxRecvSGE = 1, 1
	qp, err := p.pd.CreateQP(attr)
	if err != nil {
		return err
	}
	p.qp = qp
	for _, change := range []*verbs.QPAttr{
		verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(port).QKey(key),
		verbs.NewQPAttr(verbs.QPStateRTR),
		verbs.NewQPAttr(verbs.QPStateRTS).SQPSN(0),
	} {
		if err := qp.Modify(change); err != nil {
			return err
		}
	}
	if p.sends, err = verbs.NewSendBatch(depth, 1); err != nil {
		return err
	}
	p.recvs, err = verbs.NewRecvBatch(depth, 1)
	if err != nil {
		return err
	}
	for i := range depth {
		p.recvs.WR(i).Recv(uint64(i)).SGE(p.at(i), payload+verbs.GRHSize, p.mr.LKey())
	}
	_, err = qp.PostRecv(p.recvs, depth)
	return err
}

func (p *prober) at(i int) uint64 { return p.mr.IOVA() + uint64(i*(payload+verbs.GRHSize)) }

// meet makes the address handle of a peer.
func (p *prober) meet(port uint8, gid verbs.GID, qpn uint32) error {
	ah, err := p.pd.CreateAH(verbs.AHAttr{PortNum: port, IsGlobal: true, DGID: gid, SGIDIndex: p.index, HopLimit: 64})
	if err != nil {
		return err
	}
	p.peers = append(p.peers, &peer{gid, qpn, ah})
	return nil
}

// round sends a datagram to each peer, in batches, and waits for as many answers as come in time.
func (p *prober) round(wait time.Duration) error {
	for first := 0; first < len(p.peers); first += depth {
		some := p.peers[first:min(first+depth, len(p.peers))]
		for i, to := range some {
			wr := p.sends.WR(i).Send(uint64(depth+i)).SGE(p.at(i), payload, p.mr.LKey())
			if i == len(some)-1 {
				wr.Flags(verbs.SendSignaled)
			}
			if err := to.ah.Address(wr, to.qpn, key); err != nil {
				return err
			}
		}
		n, err := p.qp.PostSend(p.sends, len(some))
		p.sent.Add(uint64(n))
		if err != nil {
			return err
		}
		if err := p.poll(time.Now().Add(wait), len(some)); err != nil {
			return err
		}
	}
	return nil
}

func (p *prober) poll(deadline time.Time, missing int) error {
	var wcs [16]verbs.WC
	for missing > 0 && time.Now().Before(deadline) {
		n, err := p.cq.PollInto(wcs[:])
		if err != nil {
			return err
		}
		for i := range wcs[:n] {
			wc := &wcs[i]
			if err := wc.Err(); err != nil || wc.ID >= depth {
				continue
			}
			missing--
			if _, err := p.qp.PostRecvRange(p.recvs.From(int(wc.ID), 1)); err != nil {
				return err
			}
		}
	}
	p.lost.Add(uint64(missing))
	return nil
}

// run probes with each device in a goroutine of its own, until stop is closed.
func run(all []*prober, every time.Duration, stop <-chan struct{}) <-chan error {
	failed := make(chan error, len(all))
	for _, p := range all {
		go func() {
			for {
				select {
				case <-stop:
					failed <- p.dev.CloseAll()
					return
				case <-time.After(every):
				}
				if err := p.round(every / 2); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return failed
}
