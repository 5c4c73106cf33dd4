package pingpong

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// depth is how many receives wait for messages. One message is under way at most, so a few are plenty.
const depth = 16

// Ids of requests.
const (
	received = 1
	sent     = 2
)

// side is one end of the connection, with what it needs on the device.
type side struct {
	opts    Options
	ch      *verbs.CompChannel // nil without events
	cq      *verbs.CQ
	pd      *verbs.PD
	qp      *verbs.QP
	setup   verbs.RCSetup
	mr      *verbs.MR
	in, out []byte // registered as mr: what comes, and what goes; the server's are the same
	sends   *verbs.SendBatch
	recvs   *verbs.RecvBatch
	self    Address
	byGID   bool // the port reaches no peer by its LID
}

// newSide makes a queue pair that is ready to receive as soon as it is connected. close is due also after an error.
func newSide(dev *verbs.Device, o Options, client bool) (s *side, err error) {
	s = &side{opts: o}
	buf := make([]byte, 2*o.Size)
	s.in, s.out = buf[:o.Size], buf[:o.Size]
	if client {
		s.out = buf[o.Size:]
		for i := range s.out {
			s.out[i] = byte(i)
		}
	}
	if s.pd, err = dev.AllocPD(); err != nil {
		return s, err
	}
	if s.mr, err = s.pd.RegMR(buf, verbs.MRAccessLocalWrite); err != nil {
		return s, err
	}
	if o.Events {
		if s.ch, err = dev.CreateCompChannel(); err != nil {
			return s, err
		}
	}
	if s.cq, err = dev.CreateCQ(depth+1, s.ch, 0); err != nil {
		return s, err
	}
	attr := verbs.QPInitAttr{
		Type: verbs.QPTypeRC, SendCQ: s.cq, RecvCQ: s.cq, MaxSendWR: 1, MaxRecvWR: depth, MaxSendSGE: 1,
		MaxRecvSGE: 1,
	}
	if s.qp, err = s.pd.CreateQP(attr); err != nil {
		return s, err
	}
	s.setup = verbs.RCSetup{PortNum: o.IBPort, PathMTU: verbs.MTU1024, MaxDestRDAtomic: 1, MaxRDAtomic: 1, MinRNRTimer: 12,
		Timeout: 14, RetryCnt: 7, RNRRetry: 7}
	if err := s.qp.Modify(s.setup.Init()); err != nil {
		return s, err
	}
	if err := s.prepare(); err != nil {
		return s, err
	}
	s.self, err = s.address(dev)
	return s, err
}

// prepare writes the requests, which never change, and posts the receives.
func (s *side) prepare() (err error) {
	if s.sends, err = verbs.NewSendBatch(1, 1); err != nil {
		return err
	}
	if s.recvs, err = verbs.NewRecvBatch(depth, 1); err != nil {
		return err
	}
	in, err := s.mr.SGE(0, uint64(len(s.in)))
	if err != nil {
		return err
	}
	out := in
	if &s.in[0] != &s.out[0] {
		if out, err = s.mr.SGE(uint64(len(s.in)), uint64(len(s.out))); err != nil {
			return err
		}
	}
	s.sends.WR(0).Send(sent).Add(out).Flags(verbs.SendSignaled)
	for i := range depth {
		s.recvs.WR(i).Recv(received).Add(in)
	}
	_, err = s.qp.PostRecv(s.recvs, depth)
	return err
}

// address returns what the peer has to know of this side.
func (s *side) address(dev *verbs.Device) (a Address, err error) {
	port, err := dev.QueryPort(s.opts.IBPort)
	if err != nil {
		return a, err
	}
	s.byGID = port.LinkLayer == verbs.LinkLayerEthernet
	switch {
	case s.opts.GIDIndex >= 0:
		if a.GID, err = dev.QueryGID(s.opts.IBPort, s.opts.GIDIndex); err != nil {
			return a, err
		}
	case s.byGID:
		return a, errors.New("on Ethernet a peer is reached by a GID only; name the entry of the port's GID table to use")
	}
	if !s.byGID && port.LID == 0 {
		return a, fmt.Errorf("port %d has no LID yet; is a subnet manager running?", s.opts.IBPort)
	}
	a.LID, a.QPN, a.PSN = port.LID, s.qp.Num(), rand.Uint32N(1<<24)
	return a, nil
}

// connect brings the queue pair to the state in which it sends.
func (s *side) connect(peer Address) error {
	way := verbs.AHAttr{PortNum: s.opts.IBPort, DLID: peer.LID}
	if peer.GID == (verbs.GID{}) && s.byGID {
		return errors.New("the peer told no GID, and on Ethernet it is reached by nothing else; ibv_rc_pingpong tells it with -g")
	}
	if peer.GID != (verbs.GID{}) {
		if s.opts.GIDIndex < 0 {
			return fmt.Errorf("the peer is reached by its GID %s, and no GID of this side was named", peer.GID)
		}
		way.IsGlobal = true
		way.DGID = peer.GID
		way.SGIDIndex = uint8(s.opts.GIDIndex)
		way.HopLimit = 64
	}
	s.setup.AV, s.setup.DestQPNum, s.setup.RQPSN, s.setup.SQPSN = way, peer.QPN, peer.PSN, s.self.PSN
	if err := s.qp.Modify(s.setup.RTR()); err != nil {
		return fmt.Errorf("connecting to %v: %w", peer, err)
	}
	return s.qp.Modify(s.setup.RTS())
}

// close frees everything. The device stays open.
func (s *side) close() error {
	var errs []error
	if s.pd != nil {
		errs = append(errs, s.pd.CloseAll()) // with the queue pair and the region
	}
	if s.cq != nil {
		errs = append(errs, s.cq.Close())
	}
	if s.ch != nil {
		errs = append(errs, s.ch.Close())
	}
	if s.sends != nil {
		errs = append(errs, s.sends.Close())
	}
	if s.recvs != nil {
		errs = append(errs, s.recvs.Close())
	}
	return errors.Join(errs...)
}
