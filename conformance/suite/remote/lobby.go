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
}

func (l *lobby) enter(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns = append(l.conns, c); len(l.conns) <= maxLobby {
		return
	}
	at := l.crowd()
	_ = l.conns[at].Close() // its reads and writes fail with net.ErrClosed
	l.conns = slices.Delete(l.conns, at, at+1)
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
	l.conns = slices.DeleteFunc(l.conns, func(o net.Conn) bool { return o == c })
}

// host is the address of the other side without its port.
func host(c net.Conn) string {
	at := c.RemoteAddr().String()
	if h, _, err := net.SplitHostPort(at); err == nil {
		return h
	}
	return at
}
