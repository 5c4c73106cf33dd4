//go:build linux && (amd64 || arm64)

package direct

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// use is the use of a queue by one call at a time.
//
// A call stores busy and then loads state, without a fence between them. Who stops the queue stores state, stops the world, and then
// looks at busy: every goroutine was stopped either before its store of busy, and sees the state afterwards, or behind it, and is waited
// for.
type use struct {
	busy   uint32
	state  uint32     // one of the constants below
	shared bool       // several goroutines use the queue
	owner  uint32     // written by each call: the race detector sees two at once
	mu     sync.Mutex // locked while the queue is stopped
}

const (
	running = iota
	held    // while the queue is stopped
	ended
)

// alone begins a call, and reports whether it did. It does not on a queue that is shared, in use or stopped.
func (u *use) alone() bool {
	if u.shared || u.busy != 0 {
		return false
	}
	publish(&u.busy, 1)
	if atomic.LoadUint32(&u.state) != running {
		u.leave()
		return false
	}
	if raceEnabled {
		u.owner++
	}
	return true
}

// enter begins a call. Calls of several goroutines wait for each other if the queue is shared, and fail if it is not.
func (u *use) enter() syscall.Errno {
	if u.alone() {
		return 0
	}
	if errno := u.lock(); errno != 0 {
		return errno
	}
	if atomic.LoadUint32(&u.state) != running {
		return u.wait()
	}
	if raceEnabled && !u.shared {
		u.owner++
	}
	return 0
}

// leave ends a call.
func (u *use) leave() { publish(&u.busy, 0) }

// lock waits as long as Close does: the goroutine itself may have begun a request.
func (u *use) lock() syscall.Errno {
	var since time.Time
	for spins := 0; !atomic.CompareAndSwapUint32(&u.busy, 0, 1); spins++ {
		switch {
		case !u.shared:
			return fail.ErrnoInUse
		case atomic.LoadUint32(&u.state) == ended:
			return fail.ErrnoClosed
		case spins%64 != 63:
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > patience:
			return fail.ErrnoInUse
		default:
			runtime.Gosched()
		}
	}
	return 0
}

// wait is the rest of enter for a queue that does not run.
func (u *use) wait() syscall.Errno {
	for {
		u.leave()
		if atomic.LoadUint32(&u.state) == ended {
			return fail.ErrnoClosed
		}
		runtime.Gosched()
		if errno := u.lock(); errno != 0 {
			return errno
		}
		if atomic.LoadUint32(&u.state) == running {
			return 0
		}
	}
}

// stop keeps calls from the queue, and waits for the one that runs, until run or retire. It is false when that call does not end: a
// request was begun, and nobody rings for it; and when the queue has ended.
func (u *use) stop() bool {
	u.mu.Lock()
	if u.state == ended {
		u.mu.Unlock()
		return false
	}
	atomic.StoreUint32(&u.state, held)
	runtime.Stack(nil, true) // stops the world
	begin := time.Now()
	for pause := time.Microsecond; atomic.LoadUint32(&u.busy) != 0; pause = min(2*pause, time.Millisecond) {
		if time.Since(begin) > patience {
			u.run()
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// run takes a stop back.
func (u *use) run() { u.change(running) }

// retire makes a stop the last.
func (u *use) retire() { u.change(ended) }

func (u *use) change(to uint32) {
	atomic.StoreUint32(&u.state, to)
	u.mu.Unlock()
}

// patience is how long a call and a Close wait for another call.
var patience = 10 * time.Second
