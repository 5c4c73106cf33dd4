//go:build linux && cgo

package soak

import (
	"math/rand/v2"
	"slices"
	"sync"
)

// pool has the connections that goroutines use.
type pool struct {
	mu  sync.Mutex
	all []*link
}

func (p *pool) put(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, l)
}

func (p *pool) len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.all)
}

// take removes one and returns it, or nil if the pool is empty.
func (p *pool) take(rng *rand.Rand) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		return nil
	}
	i, last := rng.IntN(len(p.all)), len(p.all)-1
	l := p.all[i]
	p.all[i] = p.all[last]
	p.all = p.all[:last]
	return l
}

// remove takes a connection out, and reports whether it was there.
func (p *pool) remove(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.all, l)
	if i >= 0 {
		p.all = slices.Delete(p.all, i, i+1)
	}
	return i >= 0
}

// some returns one to use, or nil if the pool is empty. Its users are locked for reading.
func (p *pool) some(rng *rand.Rand) *link {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) == 0 {
		return nil
	}
	l := p.all[rng.IntN(len(p.all))]
	if !l.users.TryRLock() {
		return nil
	}
	return l
}
