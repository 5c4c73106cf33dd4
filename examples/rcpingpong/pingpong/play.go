package pingpong

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// MaxSize is the longest message in bytes.
const MaxSize = 1 << 30

// Options is how to play. Both sides must agree on Size and Iters: neither is told to the peer.
type Options struct {
	IBPort   uint8         // port of the device, from 1
	GIDIndex int           // entry of the port's GID table, 0 to 255; -1 for none, where LIDs do
	Size     int           // length of a message in bytes, 1 to MaxSize
	Iters    int           // messages that each side sends, at least 1
	Events   bool          // sleep until completions come, in place of looking for them all the time
	Check    bool          // client: compare what comes back with what was sent, and fail when it differs
	Timeout  time.Duration // for the talk over TCP, and for each completion; 0 is ten seconds
}

// Result is a game that went to its end.
type Result struct {
	Self, Peer Address
	Bytes      int64         // in both directions
	Duration   time.Duration // from the first message to the last completion
	Last       []byte        // the last message that came
}

// Serve plays with the first client that comes to the listener, which it closes. It waits for the client as long as ctx
// allows; the Timeout counts from then on. dev stays open.
func Serve(ctx context.Context, dev *verbs.Device, ln net.Listener, o Options) (*Result, error) {
	defer ln.Close()
	return game(ctx, dev, o, false, asServer(ln))
}

// Play plays with the server at a TCP address. Where nobody listens, the error is ECONNREFUSED. dev stays open.
func Play(ctx context.Context, dev *verbs.Device, server string, o Options) (*Result, error) {
	return game(ctx, dev, o, true, asClient(server))
}

func (o *Options) check() error {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	switch {
	case o.IBPort < 1:
		return errors.New("ports of a device are counted from 1")
	case o.Size < 1 || o.Size > MaxSize:
		return fmt.Errorf("a message of %d bytes; pass 1 to %d", o.Size, MaxSize)
	case o.Iters < 1:
		return fmt.Errorf("%d iterations; pass at least 1", o.Iters)
	case o.GIDIndex < -1 || o.GIDIndex > 255:
		return fmt.Errorf("GID index %d; pass 0 to 255, or -1 for none", o.GIDIndex)
	case o.Timeout < 0:
		return fmt.Errorf("a timeout of %v; pass a positive one", o.Timeout)
	}
	return nil
}

// game makes a side, meets the peer and plays.
func game(ctx context.Context, dev *verbs.Device, o Options, client bool, meet meeting) (r *Result, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := newSide(dev, o, client)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return nil, err
	}
	r = &Result{Self: s.self, Bytes: 2 * int64(o.Size) * int64(o.Iters)}
	err = meet(ctx, s.self, o.Timeout, func(peer Address) error {
		r.Peer = peer
		return s.connect(peer)
	})
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.play(ctx, client); err != nil {
		return nil, err
	}
	r.Duration, r.Last = time.Since(began), bytes.Clone(s.in)
	return r, nil
}

// play sends and receives until all is done. A side sends when its last message is away and one has come.
func (s *side) play(ctx context.Context, client bool) error {
	var (
		wcs        [2]verbs.WC
		came, went int
		posted     int
	)
	if client {
		posted = 1
		if err := s.send(posted); err != nil {
			return err
		}
	}
	for came < s.opts.Iters || went < s.opts.Iters {
		n, err := s.wait(ctx, wcs[:])
		if err != nil {
			return fmt.Errorf("%d messages sent and %d received of %d: %w", went, came, s.opts.Iters, err)
		}
		for _, wc := range wcs[:n] {
			switch {
			case wc.Status != 0:
				return fmt.Errorf("a %s failed after %d sent and %d received of %d: %w", kind(wc), went, came, s.opts.Iters, wc.Err())
			case wc.ID == sent:
				went++
			default:
				came++
				if err := s.took(wc, client); err != nil {
					return fmt.Errorf("message %d: %w", came, err)
				}
			}
		}
		answers := came
		if client {
			answers++ // the first message answers none
		}
		if went == posted && answers > posted && posted < s.opts.Iters {
			posted++
			if err := s.send(posted); err != nil {
				return err
			}
		}
	}
	return nil
}

func kind(wc verbs.WC) string {
	if wc.ID == sent {
		return "send"
	}
	return "receive"
}

// send posts message number n. With Check it differs from the one before.
func (s *side) send(n int) error {
	if s.opts.Check && &s.in[0] != &s.out[0] {
		s.out[0] = byte(n)
		clear(s.in)
	}
	_, err := s.qp.PostSend(s.sends, 1)
	return err
}

// took looks at a message and posts another receive in the place of its own.
func (s *side) took(wc verbs.WC, client bool) error {
	if int(wc.ByteLen) != s.opts.Size {
		return fmt.Errorf("%d bytes came in place of %d; both sides need the same size", wc.ByteLen, s.opts.Size)
	}
	if client && s.opts.Check && !bytes.Equal(s.in, s.out) {
		return errors.New("what came back is not what was sent")
	}
	_, err := s.qp.PostRecv(s.recvs, 1)
	return err
}

// wait returns the next completions, at least one, or an error after the timeout or with ctx.
func (s *side) wait(ctx context.Context, wcs []verbs.WC) (int, error) {
	if n, err := s.cq.PollInto(wcs); n > 0 || err != nil {
		return n, err
	}
	silence := fmt.Errorf("nothing completed for %v: is the peer gone?", s.opts.Timeout)
	if s.opts.Events {
		limited, cancel := context.WithTimeoutCause(ctx, s.opts.Timeout, silence)
		defer cancel()
		n, err := s.cq.Wait(limited, wcs)
		if err != nil && limited.Err() != nil {
			err = context.Cause(limited)
		}
		return n, err
	}
	const tries = 1000 // between looks at the time
	for end := time.Now().Add(s.opts.Timeout); time.Now().Before(end); {
		if n, err := s.cq.PollSpin(wcs, tries); n > 0 || err != nil {
			return n, err
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
	return 0, silence
}
