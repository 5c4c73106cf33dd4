package remote

import (
	"context"
	"fmt"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// end is an end of the far side. Its calls go there and come back, one at a time.
type end struct {
	peer *Peer
	line *line
	n    uint32
	at   far.Address
}

// NewEnd makes an end at the far side. Where the session was lost it tries to have another; ErrGone when there is none.
func (p *Peer) NewEnd(ctx context.Context, kind far.Kind) (far.End, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.again(ctx); err != nil {
		return nil, err
	}
	l := p.line
	a, err := p.ask(ctx, l, askNew, &request{Kind: kind})
	if err != nil {
		return nil, err
	}
	return &end{p, l, a.End, a.At}, nil
}

// Reach reports whether new ends can be made, after a look at the far side. A lost session is tried to be had anew.
func (p *Peer) Reach(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line != nil {
		if _, err := p.ask(ctx, p.line, askPing, &request{}); err == nil {
			return nil
		}
	}
	return p.again(ctx)
}

// again makes a session where there is none.
func (p *Peer) again(ctx context.Context) error {
	switch {
	case p.ctx.Err() != nil:
		return fmt.Errorf("%w: it was closed here", ErrGone)
	case p.line != nil:
		return nil
	case p.misses >= maxMisses:
		return fmt.Errorf("%w: %w", ErrGone, p.lost)
	}
	before := p.about
	if err := p.dialUntil(ctx, p.cfg.times.Again); err != nil {
		p.misses++
		return fmt.Errorf("%w: %w; then: %w", ErrGone, p.lost, err)
	}
	p.cfg.Log("%s: connected again", p.cfg.Address)
	if p.about != before {
		p.cfg.Log("%s: another answers now: %v", p.cfg.Address, p.about)
	}
	return nil
}

// do asks for something of the end.
func (e *end) do(ctx context.Context, ask string, r request) (answer, error) {
	e.peer.mu.Lock()
	defer e.peer.mu.Unlock()
	r.End = e.n
	return e.peer.ask(ctx, e.line, ask, &r)
}

func (e *end) Address() far.Address { return e.at }

func (e *end) Connect(ctx context.Context, to far.Address) error {
	_, err := e.do(ctx, askConnect, request{To: to})
	return err
}

func (e *end) Do(ctx context.Context, op far.Op) (far.Result, error) {
	a, err := e.do(ctx, askDo, request{Op: op})
	return a.Result, err
}

func (e *end) PostRecv(ctx context.Context, size int) error {
	_, err := e.do(ctx, askPostRecv, request{Length: size})
	return err
}

func (e *end) WaitRecv(ctx context.Context) (far.Received, error) {
	a, err := e.do(ctx, askWaitRecv, request{})
	return a.Received, err
}

func (e *end) Load(ctx context.Context, offset, length int) ([]byte, error) {
	a, err := e.do(ctx, askLoad, request{Offset: offset, Length: length})
	return a.Data, err
}

func (e *end) Store(ctx context.Context, offset int, data []byte) error {
	_, err := e.do(ctx, askStore, request{Offset: offset, Data: data})
	return err
}

// Close closes the end. Where its session is over, the far side has closed it.
func (e *end) Close() error {
	e.peer.mu.Lock()
	over := e.peer.line != e.line
	e.peer.mu.Unlock()
	if over {
		return nil
	}
	_, err := e.do(context.Background(), askClose, request{})
	return err
}
