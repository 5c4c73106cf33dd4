package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// Limits of one session.
const (
	maxEnds     = 64      // open at one time
	maxReceives = 256     // of one end
	maxRoom     = 4 << 20 // bytes of the receives of all ends
)

// errStuck is an operation of the device that does not end.
var errStuck = errors.New("an operation of the device does not end; the device may be stuck")

// session serves one connecting side. Its ends are closed when it is over.
type session struct {
	wire  *wire
	times times
	maker far.Maker
	ends  map[uint32]*served
	made  uint32 // ends so far: the number of the last one
	last  uint64 // id of the last request
	room  int    // bytes of all receives
}

// served is an end, the sizes of the receives that it was given, and whether one was refused: then it gets no more.
type served struct {
	far.End
	rooms []int
	full  bool
}

// run serves requests until the other side says that it is done: then the error is nil. Whoever ends ctx stops the reading
// too.
func (s *session) run(ctx context.Context) (err error) {
	s.ends = map[uint32]*served{}
	defer func() {
		if !errors.Is(err, errStuck) { // a stuck end cannot be closed
			err = errors.Join(err, s.closeAll())
		}
	}()
	for {
		r := &request{}
		err := s.wire.read(r, maxFrame, s.times.Silence)
		if err == nil && r.ID != s.last+1 {
			err = fmt.Errorf("request %d comes after %d", r.ID, s.last)
		}
		if err == nil {
			err = r.check()
		}
		if err != nil { // it does not keep to the protocol, or is gone
			_ = s.wire.send(&answer{ID: r.ID, Why: clean(err.Error(), maxWhy), Over: true}) // if it still listens
			return err
		}
		s.last = r.ID
		a, err := s.inTime(ctx, r)
		if err == nil && ctx.Err() != nil { // the operation may have been cut short
			a, err = &answer{ID: r.ID, Why: errStopped.Error(), Over: true}, errStopped
		}
		if e := s.wire.send(a); err == nil {
			err = e
		}
		if err != nil || r.Ask == askBye {
			return err
		}
	}
}

// inTime does what a request asks for. A device that goes on beyond the time for it is errStuck.
func (s *session) inTime(ctx context.Context, r *request) (*answer, error) {
	limit := min(time.Duration(r.Within)*time.Millisecond, s.times.Operation)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan *answer, 1)
	go func() {
		a := &answer{}
		if err := s.do(ctx, r, a); err != nil {
			a = failed(err)
		}
		a.ID = r.ID
		done <- a
	}()
	stuck := time.NewTimer(limit + s.times.Grace)
	defer stuck.Stop()
	select {
	case a := <-done:
		return a, nil
	case <-stuck.C:
		return &answer{ID: r.ID, Over: true, Why: fmt.Sprintf("%s has not ended within %v", r.Ask, limit+s.times.Grace)}, errStuck
	}
}

// failed is the answer that tells of an error.
func failed(err error) *answer {
	a := &answer{Why: clean(err.Error(), maxWhy)}
	if a.Why == "" {
		a.Why = "an error without a text"
	}
	for name, target := range sentinels {
		if errors.Is(err, target) {
			a.Is = append(a.Is, name)
		}
	}
	slices.Sort(a.Is)
	return a
}

// do does what a request asks for and fills in its answer.
func (s *session) do(ctx context.Context, r *request, a *answer) (err error) {
	switch r.Ask {
	case askPing, askBye:
		return nil
	case askNew:
		return s.newEnd(ctx, r.Kind, a)
	}
	e := s.ends[r.End]
	if e == nil {
		return fmt.Errorf("%s: there is no end %d", r.Ask, r.End)
	}
	switch r.Ask {
	case askConnect:
		return e.Connect(ctx, *r.To)
	case askDo:
		result, err := e.Do(ctx, *r.Op)
		a.Result = &result
		return err
	case askPostRecv:
		return s.postRecv(ctx, e, r.Length)
	case askWaitRecv:
		return s.waitRecv(ctx, e, a)
	case askLoad:
		a.Data, err = e.Load(ctx, r.Offset, r.Length)
		return err
	case askStore:
		return e.Store(ctx, r.Offset, r.Data)
	case askClose:
		return s.close(r.End, e)
	}
	return fmt.Errorf("nothing is done for %q", r.Ask)
}

func (s *session) newEnd(ctx context.Context, kind far.Kind, a *answer) error {
	if len(s.ends) >= maxEnds {
		return fmt.Errorf("%d ends are open; a session may have no more", maxEnds)
	}
	e, err := s.maker.NewEnd(ctx, kind)
	if err != nil {
		return err
	}
	s.made++
	s.ends[s.made] = &served{End: e}
	at := e.Address()
	a.End, a.At = s.made, &at
	return nil
}

func (s *session) postRecv(ctx context.Context, e *served, size int) error {
	switch {
	case e.full:
		return errors.New("an earlier receive was refused; the end takes no more")
	case len(e.rooms) >= maxReceives:
		return fmt.Errorf("%d receives are posted; an end may have no more", maxReceives)
	case s.room+size > maxRoom:
		return fmt.Errorf("receives of %d bytes are posted; a session may have %d", s.room+size, maxRoom)
	}
	if err := e.PostRecv(ctx, size); err != nil {
		e.full = true
		return err
	}
	e.rooms = append(e.rooms, size)
	s.room += size
	return nil
}

func (s *session) waitRecv(ctx context.Context, e *served, a *answer) error {
	got, err := e.WaitRecv(ctx)
	if err != nil {
		return err
	}
	a.Received = &got
	if len(e.rooms) > 0 { // receives complete in the order in which they were posted
		s.room -= e.rooms[0]
		e.rooms = e.rooms[1:]
	}
	return nil
}

func (s *session) close(n uint32, e *served) error {
	for _, size := range e.rooms {
		s.room -= size
	}
	delete(s.ends, n)
	return e.Close()
}

func (s *session) closeAll() error {
	var errs []error
	for n, e := range s.ends {
		errs = append(errs, s.close(n, e))
	}
	return errors.Join(errs...)
}
