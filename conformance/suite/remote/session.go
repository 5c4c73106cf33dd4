package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// Limits of one session.
const (
	maxEnds     = 64 // open at one time
	maxReceives = 64 // of all ends, each of at most far.MaxData bytes
)

// errStuck is an operation of the device that does not end.
var errStuck = errors.New("the device may be stuck")

// session serves one connecting side. Its ends are closed when it is over.
type session struct {
	guest    string // who is served
	conn     net.Conn
	times    times
	maker    far.Maker
	ends     map[uint32]*served
	made     uint32 // ends so far: the number of the last one
	receives int    // of all ends
}

// served is an end, and how many receives it has.
type served struct {
	far.End
	receives int
}

// inTime does what a request asks for. A device that goes on beyond the time for it is errStuck.
func (s *session) inTime(ctx context.Context, ask string, r *request) (answer, error) {
	limit := min(r.Within, s.times.Operation)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		a   answer
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		a, err := s.do(ctx, ask, r)
		done <- outcome{a, err}
	}()
	select {
	case o := <-done:
		return o.a, o.err
	case <-time.After(limit + s.times.Grace):
		return answer{}, fmt.Errorf("%s has not ended within %v: %w", ask, limit+s.times.Grace, errStuck)
	}
}

// do does what a request asks for. The end checks what it is told.
func (s *session) do(ctx context.Context, ask string, r *request) (a answer, err error) {
	switch ask {
	case askPing, askBye:
		return a, nil
	case askNew:
		return s.newEnd(ctx, r.Kind)
	}
	e := s.ends[r.End]
	if e == nil {
		return a, fmt.Errorf("%s: there is no end %d", clean(ask, maxText), r.End)
	}
	switch ask {
	case askConnect:
		err = e.Connect(ctx, r.To)
	case askDo:
		a.Result, err = e.Do(ctx, r.Op)
	case askPostRecv:
		err = s.postRecv(ctx, e, r.Length)
	case askWaitRecv:
		a.Received, err = s.waitRecv(ctx, e)
	case askLoad:
		a.Data, err = e.Load(ctx, r.Offset, r.Length)
	case askStore:
		err = e.Store(ctx, r.Offset, r.Data)
	case askClose:
		err = s.close(r.End, e)
	default:
		err = fmt.Errorf("nothing is done for %q", clean(ask, maxText))
	}
	return a, err
}

func (s *session) newEnd(ctx context.Context, kind far.Kind) (a answer, err error) {
	if len(s.ends) >= maxEnds {
		return a, fmt.Errorf("%d ends are open; a session may have no more", maxEnds)
	}
	e, err := s.maker.NewEnd(ctx, kind)
	if err != nil {
		return a, err
	}
	s.made++
	s.ends[s.made] = &served{End: e}
	return answer{End: s.made, At: e.Address()}, nil
}

func (s *session) postRecv(ctx context.Context, e *served, size int) error {
	if s.receives >= maxReceives {
		return fmt.Errorf("%d receives are posted; a session may have no more", maxReceives)
	}
	err := e.PostRecv(ctx, size)
	if err == nil {
		e.receives++
		s.receives++
	}
	return err
}

func (s *session) waitRecv(ctx context.Context, e *served) (far.Received, error) {
	got, err := e.WaitRecv(ctx)
	if err == nil {
		e.receives--
		s.receives--
	}
	return got, err
}

func (s *session) close(n uint32, e *served) error {
	s.receives -= e.receives
	delete(s.ends, n)
	return e.Close()
}

// end closes the ends that are left, and their maker.
func (s *session) end() error {
	var errs []error
	for n, e := range s.ends {
		errs = append(errs, s.close(n, e))
	}
	return errors.Join(append(errs, s.maker.Close())...)
}
