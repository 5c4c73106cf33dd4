package main

import (
	"errors"
	"time"
)

// join numbers an agent that introduces itself over TCP, until leave.
func (a *agent) join() (uint32, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.callers) == maxCallers {
		return 0, errors.New("too many agents probe this one")
	}
	number := a.called
	a.called++
	a.callers[number] = nil
	return number, nil
}

// leave ends what join began. No request names the address handle afterwards.
func (a *agent) leave(number uint32) error {
	a.mu.Lock()
	r := a.callers[number]
	delete(a.callers, number)
	if r == nil {
		a.mu.Unlock()
		return nil
	}
	ah := r.ah
	r.ah = nil
	a.mu.Unlock()
	return ah.Close()
}

// probed sends the first acknowledgement of a probe that arrived. It returns false if nobody known sent the probe. If too many
// datagrams are under way, there is no acknowledgement, and the prober counts the probe as lost.
func (a *agent) probed(p *packet, srcQP uint32, stamp uint64) bool {
	r := a.callers[p.Number]
	if r == nil || r.qpn != srcQP {
		return false
	}
	_, err := a.q.add(slot{packet: packet{Kind: ack1, Seq: p.Seq}, via: r, arrived: stamp}, headerSize)
	return err == nil
}

// again sends the second acknowledgement after the first one, unless the other agent has left.
func (a *agent) again(first *slot, delay time.Duration) (err error) {
	if first.via.ah != nil {
		_, err = a.q.add(slot{packet: packet{Kind: ack2, Seq: first.Seq, Delay: max(0, int64(delay))}, via: first.via}, headerSize)
	}
	return err
}
