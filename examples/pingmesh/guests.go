package main

import (
	"fmt"
	"net"
	"sync"
	"syscall"
)

const (
	maxGuests   = 4096 // connections of other agents
	guestsShare = 2    // and at most one of so many descriptors of the process
	guestsOfOne = 16   // connections of one host, besides those of agents in this process
)

// guests counts the connections of other agents, so that no host takes the places of others, and all together leave descriptors for
// what else the agent does.
type guests struct {
	most, mostOfOne int

	mu  sync.Mutex
	all int
	of  map[string]int // by host
}

// newGuests has room for what the limit of the process allows.
func newGuests(agents int) *guests {
	g := &guests{most: maxGuests, mostOfOne: guestsOfOne + agents, of: map[string]int{}}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil {
		g.most = int(min(maxGuests, max(1, uint64(limit.Cur)/guestsShare)))
	}
	return g
}

// enter counts a connection of a host, or says why it is one too many.
func (g *guests) enter(host string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.of[host] >= g.mostOfOne:
		return fmt.Errorf("%s has %d connections here; there may be no more", host, g.of[host])
	case g.all >= g.most:
		return fmt.Errorf("%d agents are connected; there may be no more", g.all)
	}
	g.all++
	g.of[host]++
	return nil
}

func (g *guests) leave(host string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all--
	if g.of[host]--; g.of[host] == 0 {
		delete(g.of, host)
	}
}

// hostOf is the address of the other side without its port.
func hostOf(conn net.Conn) string {
	at := conn.RemoteAddr().String()
	if host, _, err := net.SplitHostPort(at); err == nil {
		return host
	}
	return at
}
