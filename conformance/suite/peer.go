//go:build linux

package suite

import (
	"context"
	"errors"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// opLimit is how long an operation of a peer may take.
const opLimit = 10 * time.Second

// PeerEnd moves bytes to and from memory that is registered on one protection domain of the device under test: it is the other
// end of a reliable connection whose queue pair is made on that domain. The connection is made when it is first needed, and
// anew after an operation that failed, as that leaves both queue pairs unusable. Each operation must complete with one of a set
// of statuses, success if none is named. One that cannot be tried, or does not complete, ends the case.
type PeerEnd struct {
	t   *T
	pd  *verbs.PD
	cq  *verbs.CQ
	qp  *verbs.QP
	far far.End // nil while there is no connection
}

// PeerOf returns a peer for the regions of a domain, nil where there can be none. It is closed when the case has ended.
func (t *T) PeerOf(pd *verbs.PD) *PeerEnd {
	if !t.Has(Peer) {
		return nil
	}
	t.reach()
	p := &PeerEnd{t: t, pd: pd}
	t.Finally("the connection of a peer", p.Close)
	return p
}

// Close ends the connection, so that the domain can be closed. The next operation makes another one.
func (p *PeerEnd) Close() error {
	var errs []error
	if p.far != nil {
		errs = append(errs, p.far.Close())
	}
	if p.qp != nil {
		errs = append(errs, p.qp.Close())
	}
	if p.cq != nil {
		errs = append(errs, p.cq.Close())
	}
	p.far, p.qp, p.cq = nil, nil, nil
	return errors.Join(errs...)
}

func (p *PeerEnd) connect() (err error) {
	t := p.t
	if p.far != nil {
		return nil
	}
	if p.cq, err = t.Device().CreateCQ(1, nil, 0); err != nil {
		return err
	}
	if p.qp, err = p.pd.CreateQP(OneEach(verbs.QPTypeRC, p.cq)); err != nil {
		return err
	}
	if p.far, err = t.Maker().NewEnd(t.Context(), far.RC); err != nil {
		return err
	}
	_, err = t.connect(p.qp, far.RC, t.Access(far.RC), p.far)
	return err
}

func (p *PeerEnd) do(what string, op far.Op, set []verbs.WCStatus) far.Result {
	ctx, cancel := context.WithTimeout(p.t.Context(), opLimit)
	defer cancel()
	var r far.Result
	err := p.connect()
	if err == nil {
		r, err = p.far.Do(ctx, op)
	}
	if err != nil || r.Status != 0 {
		err = errors.Join(err, p.Close())
	}
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
	if len(set) == 0 {
		set = []verbs.WCStatus{verbs.WCStatusSuccess}
	}
	p.t.Status(what, verbs.WCStatus(r.Status), set...)
	return r
}

// Write does an RDMA WRITE.
func (p *PeerEnd) Write(what string, rkey uint32, addr uint64, data []byte, set ...verbs.WCStatus) {
	p.do(what, far.Op{Code: far.Write, RKey: rkey, Addr: addr, Data: data}, set)
}

// Read does an RDMA READ into data.
func (p *PeerEnd) Read(what string, rkey uint32, addr uint64, data []byte, set ...verbs.WCStatus) {
	copy(data, p.do(what, far.Op{Code: far.Read, RKey: rkey, Addr: addr, Length: len(data)}, set).Data)
}

// FetchAdd does an atomic fetch and add.
func (p *PeerEnd) FetchAdd(what string, rkey uint32, addr, add uint64, set ...verbs.WCStatus) (old uint64) {
	return p.do(what, far.Op{Code: far.FetchAdd, RKey: rkey, Addr: addr, Value: add}, set).Old
}

// CompareSwap does an atomic compare and swap.
func (p *PeerEnd) CompareSwap(what string, rkey uint32, addr, compare, swap uint64, set ...verbs.WCStatus) (old uint64) {
	return p.do(what, far.Op{Code: far.CompareSwap, RKey: rkey, Addr: addr, Compare: compare, Value: swap}, set).Old
}
