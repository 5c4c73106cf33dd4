package dpath

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// counted is a queue of completions that are only counted. Requested by its request, it gives one event.
type counted struct {
	mu        sync.Mutex
	n         int
	requested bool
	event     func()
	requests  atomic.Int64
}

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (q *counted) add(n int) {
	q.mu.Lock()
	q.n += n
	event := q.requested
	q.requested = false
	q.mu.Unlock()
	if event {
		q.event()
	}
}

func (q *counted) request() error {
	q.requests.Add(1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requested = true
	return nil
}

func (q *counted) poll() (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(q.n, 2)
	q.n -= n
	return n, nil
}

// TestSleepers has many goroutines wait for one queue, some of them not for long: none sleeps while there is something to take.
func TestSleepers(t *testing.T) {
	const all, waiters = 20000, 32
	var s Sleepers
	q := &counted{event: func() { go s.Wake() }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var taken atomic.Int64
	var wg sync.WaitGroup
	for i := range waiters {
		wg.Go(func() {
			for {
				short, end := ctx, context.CancelFunc(func() {})
				if i%4 == 0 { // gives up now and then, also when it was just woken
					short, end = context.WithTimeout(ctx, time.Duration(i)*10*time.Microsecond)
				}
				n, err := s.Wait(short, "wait", q.request, q.poll)
				end()
				if taken.Add(int64(n)) == all {
					cancel()
				}
				if n == 0 && !errors.Is(err, context.DeadlineExceeded) {
					return
				}
			}
		})
	}
	for range all / 5 {
		q.add(5)
	}
	late := time.AfterFunc(30*time.Second, cancel)
	wg.Wait()
	late.Stop()
	if n := taken.Load(); n != all {
		t.Errorf("%d of %d were taken before all slept", n, all)
	}
	if len(s.waiting) > 0 {
		t.Error("the list is not empty")
	}
}

// TestSleepersEnd wakes all: to look again, and with an error.
func TestSleepersEnd(t *testing.T) {
	var s Sleepers
	q := &counted{event: func() {}}
	var closed atomic.Bool
	errEnd := errors.New("the end")
	request := func() error {
		if closed.Load() {
			return errEnd
		}
		return q.request()
	}
	for name, end := range map[string]func(){
		"looked again": func() { closed.Store(true); s.Look() },
		"failed":       func() { s.WakeAll(errEnd) },
	} {
		closed.Store(false)
		q.requests.Store(0)
		got := make(chan error)
		for range 3 {
			go func() { _, err := s.Wait(t.Context(), "wait", request, q.poll); got <- err }()
		}
		for q.requests.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		end()
		for range 3 {
			if err := <-got; !errors.Is(err, errEnd) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	var none context.Context
	if _, err := s.Wait(none, "wait", request, q.poll); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("without a context: %v", err)
	}
}

// TestSleepersAllocate sleeps and is woken without an allocation.
func TestSleepersAllocate(t *testing.T) {
	var s Sleepers
	q := &counted{event: s.Wake}
	asked := make(chan struct{}, 1)
	request := func() error { asked <- struct{}{}; return q.request() }
	go func() {
		for range asked {
			q.add(1)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	allocs.None(t, "Wait", func() {
		if n, err := s.Wait(ctx, "wait", request, q.poll); n < 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
	close(asked)
}

// TestPump passes each event on, acknowledges it, and begins again after an end.
func TestPump(t *testing.T) {
	var p Pump
	for range 2 {
		c := &channel[uintptr]{events: []uintptr{7, 8, 9}}
		if !p.Begin(c) || p.Begin(c) {
			t.Fatal("Begin is not true once")
		}
		var woken []uintptr
		var failed error
		p.Run(c, func(q uintptr) { woken = append(woken, q) }, func(err error) { failed = err })
		if !errors.Is(failed, errEnd) || !slices.Equal(woken, []uintptr{7, 8, 9}) || len(c.acked) != 3 {
			t.Errorf("%v, woke %v, %v acknowledged", failed, woken, c.acked)
		}
	}
}

// TestLeftBehind has two completions come while no event is requested, since one sleeper is awake. It takes one of them, and the other
// sleeper gets the other one, of which no event tells.
func TestLeftBehind(t *testing.T) {
	var s Sleepers
	var mu sync.Mutex
	queue := 0
	poll := func() (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if queue == 0 {
			return 0, nil
		}
		queue--
		return 1, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	got := make(chan error, 2)
	wait := func(request func() error) {
		_, err := s.Wait(ctx, "v", request, poll)
		got <- err
	}
	asleep := func(n int) {
		for {
			s.mu.Lock()
			listed := len(s.waiting)
			s.mu.Unlock()
			if listed == n {
				return
			}
			runtime.Gosched()
		}
	}
	requests := 0
	go wait(func() error {
		if requests++; requests == 2 { // it was woken, and somebody else had taken the completion
			mu.Lock()
			queue = 2
			mu.Unlock()
		}
		return nil
	})
	asleep(1)
	go wait(func() error { return nil })
	asleep(2)
	s.Wake()
	for range 2 {
		if err := <-got; err != nil {
			t.Fatal("a completion is left, and who waits for one sleeps:", err)
		}
	}
}
