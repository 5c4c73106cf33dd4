package main

import (
	"errors"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// session is an agent that has introduced itself over TCP. It lasts as long as the connection.
type session struct {
	to     *verbs.AH
	remote address
	number uint32 // that this agent has there
}

// join numbers a session.
func (a *agent) join(s *session) (uint32, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, other := range a.sessions {
		if other == nil {
			a.sessions[i] = s
			return uint32(i), nil
		}
	}
	if len(a.sessions) == maxSessions {
		return 0, errors.New("too many agents probe this one")
	}
	a.sessions = append(a.sessions, s)
	return uint32(len(a.sessions) - 1), nil
}

// leave ends a session. No request names its address handle afterwards.
func (a *agent) leave(number uint32) error {
	a.mu.Lock()
	s := a.sessions[number]
	a.sessions[number] = nil
	ah := s.to
	s.to = nil
	a.mu.Unlock()
	return ah.Close()
}

// probed sends the first acknowledgement of a probe that arrived. It returns false if nobody known sent the probe. If too many
// datagrams are under way, there is no acknowledgement, and the prober counts the probe as lost.
func (a *agent) probed(p *packet, srcQP uint32, stamp uint64) bool {
	if int64(p.number) >= int64(len(a.sessions)) {
		return false
	}
	s := a.sessions[p.number]
	if s == nil || s.remote.qpn != srcQP {
		return false
	}
	_, err := a.q.add(slot{kind: ack1, seq: p.seq, session: s, arrived: stamp},
		packet{kind: ack1, number: s.number, seq: p.seq}, headerSize, s.to, &s.remote)
	return err == nil
}

// again sends the second acknowledgement after the first one.
func (a *agent) again(first *slot, delay time.Duration) error {
	s := first.session
	if s.to == nil { // it has left
		return nil
	}
	_, err := a.q.add(slot{kind: ack2, seq: first.seq, session: s},
		packet{kind: ack2, number: s.number, seq: first.seq, delay: max(0, int64(delay))}, headerSize, s.to, &s.remote)
	return err
}
