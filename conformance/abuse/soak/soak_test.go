//go:build linux && cgo

package soak

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

var (
	flagFor     = flag.Duration("for", time.Second, "how long each part of the soak runs")
	flagSeed    = flag.Uint64("seed", 0, "what the goroutines choose by; 0: another one in each run")
	flagWorkers = flag.Int("goroutines", 32, "how many goroutines work at the same time")
)

// soak is one run.
type soak struct {
	faults bool
	soft   *softverbs.Device
	lib    *verbs.Lib
	slots  []*slot
	ledger ledger
	links  pool
	late   sync.Map    // the memory that regions may still use
	over   atomic.Bool // the time is up, or there was a problem

	losing atomic.Int64 // orders to lose a completion
	counts counts

	mu       sync.Mutex
	problems []string
}

// counts say what was done.
type counts struct{ rounds, requests, messages, failed, links, closed, abrupt, devices, churned, orders, lost atomic.Int64 }

func (c *counts) String() string {
	return fmt.Sprintf("%d rounds, %d requests (%d ended with an error), %d messages; %d connections, %d closed, %d of them under use; "+
		"%d devices closed; %d other objects; %d faults; %d completions lost", c.rounds.Load(), c.requests.Load(), c.failed.Load(),
		c.messages.Load(), c.links.Load(), c.closed.Load(), c.abrupt.Load(), c.devices.Load(), c.churned.Load(), c.orders.Load(),
		c.lost.Load())
}

// child marks the process that a soak runs in, so that its end by a signal or a panic has a report too.
const child = "VERBS_SOAK_CHILD"

// TestSoak has goroutines do random operations at the same time. Without faults every error is a problem that no Close explains.
func TestSoak(t *testing.T) {
	for _, name := range []string{"clean", "faults"} {
		faults := name == "faults"
		t.Run(name, func(t *testing.T) {
			if os.Getenv(child) == "" {
				process(t, name)
				return
			}
			run(t, faults, 300*time.Millisecond, *flagSeed) // what the first use leaves behind once in a process
			before := look(t)
			t.Log(run(t, faults, *flagFor, *flagSeed))
			before.compare(t)
		})
	}
}

// process runs one part of TestSoak in a process of its own.
func process(t *testing.T, name string) {
	seed := *flagSeed
	for seed == 0 {
		seed = rand.Uint64()
	}
	args := []string{fmt.Sprintf("-for=%v", *flagFor), fmt.Sprintf("-goroutines=%d", *flagWorkers), fmt.Sprintf("-seed=%d", seed)}
	cmd := exec.CommandContext(t.Context(), os.Args[0], append(args, "-test.run=^TestSoak$/^"+name+"$", "-test.v")...)
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s\nto repeat it: go test -count=1%s ./conformance/abuse/soak -run 'TestSoak/%s$' %s", err, out, raceFlag, name,
			strings.Join(args, " "))
		return
	}
	t.Logf("%s\n%s", strings.Join(args, " "), summary.FindString(string(out)))
}

var summary = regexp.MustCompile(`.* rounds, .*`)

// run is a whole soak: all that it made is closed at its end.
func run(t *testing.T, faults bool, span time.Duration, seed uint64) string {
	s := &soak{faults: faults}
	s.soft = softverbs.New(softverbs.Name("soft0"), softverbs.AnotherDevice("soft1"),
		softverbs.AnotherDevice("soft2", softverbs.LikeMLX5()), softverbs.AnotherDevice("soft3", softverbs.LikeRXE61()))
	lib, err := verbs.LoadFrom(s.soft)
	if err != nil {
		t.Fatal(err)
	}
	s.lib = lib
	for _, name := range s.soft.Names() {
		s.slots = append(s.slots, &slot{name: name})
	}
	time.AfterFunc(span, func() { s.over.Store(true) })
	stuck := time.AfterFunc(span+2*time.Minute, func() { s.stuck() })
	defer stuck.Stop()
	var all sync.WaitGroup
	for i := range *flagWorkers {
		w := newWorker(s, seed, uint64(i))
		all.Go(w.work)
	}
	all.Wait()
	s.end(newWorker(s, seed, 1<<32))
	for _, p := range s.problems {
		t.Error(p)
	}
	return s.counts.String()
}

// stuck ends the test when a goroutine never comes back.
func (s *soak) stuck() {
	b := make([]byte, 1<<20)
	panic(fmt.Sprintf("the soak does not end\n%s", b[:runtime.Stack(b, true)]))
}

// end closes everything: connections, devices, the library's device.
func (s *soak) end(w *worker) {
	s.calm()
	for l := s.links.take(w.rng); l != nil; l = s.links.take(w.rng) {
		w.closeLink(l)
	}
	for _, sl := range s.slots {
		for _, h := range sl.all {
			s.closeHub(h)
		}
	}
	for _, sl := range s.slots {
		for _, h := range sl.all {
			h.check(s)
		}
	}
	for buf := range s.late.Range {
		if err := buf.(*mem.Buffer).Close(); err != nil {
			s.problem("memory cannot be given back after everything was closed: %v", err)
		}
	}
	if leaks := s.soft.Leaks(); len(leaks) > 0 {
		s.problem("left on the device: %q", leaks[:min(len(leaks), 10)])
	}
	if err := s.soft.Close(); err != nil {
		s.problem("the end of the software device: %v", err)
	}
	if lost, most := s.counts.lost.Load(), 2*s.losing.Load(); lost > most { // a lost receive is missed by both sides
		s.problem("%d completions did not come; %d orders to lose one explain at most %d", lost, s.losing.Load(), most)
	}
}

// problem notes what must not happen, and ends the run.
func (s *soak) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over.Store(true)
	if len(s.problems) < 20 {
		s.problems = append(s.problems, fmt.Sprintf(format, args...))
	}
}

// injected are the errnos of calls that fail on order.
var injected = []syscall.Errno{syscall.EIO, syscall.ENOMEM, syscall.EAGAIN, syscall.EINVAL, syscall.EPERM}

// explained reports whether an error may be: something was closed, is still in use, or was ordered to fail.
func (s *soak) explained(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && fmt.Sprintf("%T", err) == "*errors.joinError" {
		for _, e := range joined.Unwrap() {
			if !s.explained(e) {
				return false
			}
		}
		return true
	}
	if err == nil || errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EBUSY) || errors.Is(err, verr.ErrQueueFull) {
		return true
	}
	for _, errno := range injected {
		if s.faults && errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// ok reports whether a call succeeded. An error that nothing explains is a problem.
func (s *soak) ok(what string, err error) bool {
	if !s.explained(err) {
		s.problem("%s: %v", what, err)
	}
	return err == nil
}

// shut closes an object, again if it fails. What stays open is closed with its device.
func (s *soak) shut(c interface{ Close() error }) {
	for range 4 {
		err := c.Close()
		if err == nil || errors.Is(err, os.ErrClosed) {
			return
		}
		s.ok(fmt.Sprintf("Close of %T", c), err)
		runtime.Gosched()
	}
}
