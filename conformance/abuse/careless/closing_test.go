//go:build linux && cgo

package careless

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// closing is a program that closes something while callers make calls.
type closing struct {
	call  call
	close end
}

// end is a Close that ends the object of calls.
type end struct {
	name string
	says string // in place of what the error of a call names otherwise
	run  func(w *world) error
}

func isClosed(err error) bool { return errors.Is(err, os.ErrClosed) }

func (p closing) String() string { return p.call.name + " against close of " + p.close.name }

// says has each caller name what was closed.
func (p closing) says() []string {
	what := p.call.says
	if p.close.says != "" {
		what = p.close.says
	}
	return []string{"(?i)(" + what + `)\b.* is (being )?closed`}
}

const (
	callers = 2
	// span is how long a program closes one world after the other; it takes at least some.
	span       = 40 * time.Millisecond
	worldsMost = 200
)

func (p closing) run(providers string) error {
	lib, err := load(providers, p.call.over)
	if err != nil {
		return err
	}
	begin := time.Now()
	said := map[string]bool{}
	for i := 0; i < worldsMost && (i < 5 || time.Since(begin) < span); i++ {
		w, err := newWorld(lib, p.call.over)
		if err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		if err := p.in(w, i, said); err != nil {
			return fmt.Errorf("world %d: %w", i, err)
		}
		if err := w.end(); err != nil {
			return fmt.Errorf("world %d: the rest: %w", i, err)
		}
	}
	for text := range said {
		fmt.Println(text)
	}
	if leaks := lib.device.Leaks(); len(leaks) > 0 {
		return fmt.Errorf("left behind: %q", leaks)
	}
	return nil
}

// in lets callers begin, closes under them, and collects how they end.
func (p closing) in(w *world, turn int, said map[string]bool) error {
	var wg sync.WaitGroup
	var begun atomic.Int32
	errs := make([]error, callers)
	for i := range callers {
		do, err := p.call.make(w)
		if err != nil {
			return err
		}
		wg.Go(func() {
			begun.Add(1)
			for errs[i] == nil {
				if err := do(); isClosed(err) {
					errs[i] = err
				} else if err != nil && !p.call.goesOn(err) {
					errs[i] = fmt.Errorf("%s ends with another error than os.ErrClosed: %w", p.call.name, err)
					return
				}
			}
		})
	}
	for begun.Load() < callers {
		time.Sleep(10 * time.Microsecond)
	}
	time.Sleep(time.Duration(turn%10) * 20 * time.Microsecond)
	closed := p.close.run(w)
	if closed != nil {
		closed = fmt.Errorf("close of %s: %w", p.close.name, closed)
		w.end() // so that the callers end
	}
	wg.Wait()
	for i, err := range errs {
		if isClosed(err) {
			said[err.Error()] = true
			errs[i] = nil
		}
	}
	return errors.Join(append(errs, closed)...)
}

// acknowledged closes what may have events that were taken and not acknowledged yet, or children that come and go.
func acknowledged(c interface{ Close() error }) error {
	for {
		err := c.Close()
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		time.Sleep(10 * time.Microsecond)
	}
}

// refused has a Close refused, since the object has others.
func refused(c interface{ Close() error }) error {
	if err := c.Close(); !errors.Is(err, syscall.EBUSY) {
		return fmt.Errorf("a Close that has to be refused: %w", err)
	}
	return nil
}

// everything is a device that is closed with all that was made from it.
type everything struct{ *verbs.Device }

func (d everything) Close() error { return d.CloseAll() }

// closings are all calls against all that ends their object.
func closings() (all []closing) {
	dev := end{name: "the device", run: func(w *world) error { return acknowledged(everything{w.dev}) }}
	domain := end{name: "its domain", run: func(w *world) error {
		return errors.Join(refused(w.a.PD), w.a.PD.CloseAll())
	}}
	qp := end{name: "the queue pair", run: func(w *world) error { return w.a.QP.Close() }}
	batch := end{name: "its batch", says: "(Send|Recv)Batch", run: func(w *world) error {
		var errs []error
		for _, b := range w.batches {
			errs = append(errs, b.Close())
		}
		return errors.Join(errs...)
	}}
	add := func(calls []call, ends ...end) {
		for _, c := range calls {
			for _, e := range append(ends, dev) {
				all = append(all, closing{c, e})
			}
		}
	}
	add([]call{{name: "post send", says: "QP", make: postSend, full: true}, {name: "post recv", says: "QP", make: postRecv, full: true}},
		qp, domain, batch)
	add([]call{{name: "post datagrams", says: "AH|QP", over: datagram, make: postDatagrams, full: true},
		{name: "send to", says: "AH|QP", over: datagram, make: sendTo, full: true}},
		end{name: "the address", says: "AH", run: func(w *world) error { return w.ah.Close() }}, domain, batch)
	add([]call{
		{name: "poll", says: "CQ", make: poll(1)}, {name: "spin", says: "CQ", make: poll(1 << 30)},
		{name: "notify", says: "CQ", make: calling(func(w *world) error { return w.a.CQ.ReqNotify(false) })},
	},
		end{name: "the queue", run: func(w *world) error { return errors.Join(w.a.QP.Close(), w.a.CQ.Close()) }},
		end{name: "its channel", run: func(w *world) error {
			return errors.Join(refused(w.a.Ch), w.a.QP.Close(), w.a.CQ.Close(), w.a.Ch.Close())
		}})
	add([]call{{name: "wait", says: "completion channel",
		make: calling(func(w *world) error { return result(w.a.Ch.Next(context.Background())) })},
		{name: "wait for completions", says: "completion channel|CQ|QP", make: waitForCompletions, full: true}},
		end{name: "the channel", run: func(w *world) error {
			return errors.Join(acknowledged(w.a.QP), acknowledged(w.a.CQ), acknowledged(w.a.Ch))
		}})
	add([]call{{name: "wait for the device", says: "device",
		make: calling(func(w *world) error { return result(w.dev.NextEvent(context.Background())) })},
		{name: "wait for ports", says: "device", make: calling(waitForPorts)},
		{name: "query the device", says: "Device", make: calling(queryDevice)}})
	add([]call{{name: "modify", says: "QP", make: calling(modify)}, {name: "query", says: "QP", make: calling(query)}}, qp, domain)
	add([]call{{name: "modify a shared queue", says: "SRQ", make: calling(modifyShared)},
		{name: "query a shared queue", says: "SRQ", make: calling(queryShared)}},
		end{name: "the shared queue", run: func(w *world) error { return w.srq.Close() }}, domain)
	add([]call{{name: "register", says: "PD", make: calling(register)}}, domain)
	add([]call{{name: "deregister", says: "PD|MR", make: calling(deregister)}}, domain,
		end{name: "the region", run: func(w *world) error {
			for range 50 {
				if mr := w.latest.Load(); mr != nil {
					if err := mr.Close(); err != nil && !isClosed(err) {
						return err
					}
				}
			}
			return w.a.PD.CloseAll()
		}})
	add([]call{{name: "change a region", says: "MR", make: calling(reregister)}}, domain,
		end{name: "the region", run: func(w *world) error { return w.a.MR.Close() }})
	add([]call{{name: "move a region", says: "PD|MR", make: move}}, domain,
		end{name: "the other domain", run: func(w *world) error { return w.b.PD.CloseAll() }})
	memory := end{name: "the memory", run: func(w *world) error { return acknowledged(w.dm) }}
	add(copies(), memory)
	add([]call{{name: "register device memory", says: "DM|MR|PD", over: registered, make: registerDeviceMemory}}, memory)
	return all
}
