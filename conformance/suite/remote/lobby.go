package remote

import (
	"net"
	"slices"
	"sync"
)

// maxLobby bounds the connections that have not greeted yet.
const maxLobby = 64

// lobby has the connections that have not greeted yet, in the order of their coming. When it is full, the oldest one of the host that has
// most of them is put out. So those that come and say nothing keep nobody else from greeting.
type lobby struct {
	mu    sync.Mutex
	conns []net.Conn
	out   map[net.Conn]bool
}

func (l *lobby) enter(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns = append(l.conns, c); len(l.conns) <= maxLobby {
		return
	}
	oldest := l.conns[l.crowd()]
	l.remove(oldest)
	if l.out == nil {
		l.out = map[net.Conn]bool{}
	}
	l.out[oldest] = true
	_ = oldest.Close()
}

// crowd is the index of the oldest connection of the host that has most.
func (l *lobby) crowd() (oldest int) {
	n := map[string]int{}
	for _, c := range l.conns {
		n[host(c)]++
	}
	for i, c := range l.conns {
		if n[host(c)] > n[host(l.conns[oldest])] {
			oldest = i
		}
	}
	return oldest
}

// leave takes out a connection that has greeted, or is closed.
func (l *lobby) leave(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	delete(l.out, c)
}

func (l *lobby) remove(c net.Conn) {
	l.conns = slices.DeleteFunc(l.conns, func(o net.Conn) bool { return o == c })
}

// wasPutOut reports whether a connection was closed to make room.
func (l *lobby) wasPutOut(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out[c]
}

// host is the address of the other side without its port.
func host(c net.Conn) string {
	at := c.RemoteAddr().String()
	if h, _, err := net.SplitHostPort(at); err == nil {
		return h
	}
	return at
}
