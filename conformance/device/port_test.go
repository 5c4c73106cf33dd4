//go:build linux && cgo

package device

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestPortDown takes a network down while RDMA runs over it. Both devices tell by an event, the traffic ends with an error, and
// when the network is up again, new queue pairs work.
func TestPortDown(t *testing.T) {
	w := openWire(t)
	logs := [2]*eventLog{watch(t, w.devs[0]), watch(t, w.devs[1])}
	near, far := w.pair(t, hasty)
	ended, written := keepWriting(near, memoryOf(far))
	until(t, "the traffic runs", slack, func() bool { return written.Load() >= 50 })

	w.down(t)
	var r ending
	select {
	case r = <-ended:
	case <-time.After(hasty.Limit() + 2*slack):
		t.Fatal("the traffic goes on")
	}
	if r.err != nil {
		t.Fatal(r.err)
	}
	t.Logf("WRITE %d: %v", written.Load()+1, r.wc.Err())
	// by kernel, and by the moment
	ends(t, "the traffic", r.wc, verbs.WCStatusLocQPOpErr, verbs.WCStatusWRFlushErr, verbs.WCStatusRetryExcErr)
	ends(t, "the next WRITE", write(t, near, memoryOf(far), slack), verbs.WCStatusWRFlushErr)
	w.both(t, logs, verbs.EventTypePortErr, verbs.PortStateDown)

	w.up(t)
	w.both(t, logs, verbs.EventTypePortActive, verbs.PortStateActive)
	near, far = w.pair(t, hasty)
	if err := write(t, near, memoryOf(far), slack).Err(); err != nil {
		t.Errorf("a WRITE with new queue pairs: %v", err)
	}
}

// both waits for an event of port 1 of both devices, and for the state of the port that goes with it.
func (w *wire) both(t *testing.T, logs [2]*eventLog, kind verbs.EventType, state verbs.PortState) {
	t.Helper()
	for i, dev := range w.devs {
		until(t, w.names[i]+" tells "+kind.String(), slack, func() bool { return logs[i].has(kind) })
		until(t, w.names[i]+" is "+state.String(), slack, func() bool { return must(dev.QueryPort(1))(t).State == state })
	}
}

// ending is how traffic came to its end.
type ending struct {
	wc  verbs.WC
	err error
}

// keepWriting writes until a WRITE fails, and counts those that do not.
func keepWriting(e *link.End, to place) (<-chan ending, *atomic.Int64) {
	ended, written := make(chan ending, 1), new(atomic.Int64)
	go func() {
		for {
			wc, err := tryWrite(e, to, hasty.Limit()+slack)
			if err != nil || wc.Err() != nil {
				ended <- ending{wc, err}
				return
			}
			written.Add(1)
		}
	}()
	return ended, written
}

// down takes the network of the first device down, until up or the end of the test.
func (w *wire) down(t *testing.T) {
	t.Helper()
	w.before = w.ways(t)
	w.routes = filepath.Join(t.TempDir(), "routes")
	if err := os.WriteFile(w.routes, []byte(run(t, "ip", "-4", "route", "save", "table", "all")), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.up(t) })
	run(t, "ip", "link", "set", w.nets[0], "down")
}

// up makes the network what it was before down: the kernel has dropped routes, and gives addresses back after a while.
func (w *wire) up(t *testing.T) {
	t.Helper()
	if w.before == "" {
		return
	}
	run(t, "ip", "link", "set", w.nets[0], "up")
	runWith(t, w.routes, "ip", "-4", "route", "restore")
	until(t, "routes and addresses are again\n"+w.before, 2*slack, func() bool { return w.ways(t) == w.before })
	w.before = ""
}

// ways returns all that packets are sent by: the routes, the GIDs of both devices, and the IPv6 addresses of their networks with
// the flag that says whether an address is still tried, for nobody answers for such a one.
func (w *wire) ways(t *testing.T) string {
	t.Helper()
	all := strings.Split(run(t, "ip", "-4", "route", "show", "table", "all"), "\n")
	for _, name := range w.names {
		dir := sysfs.Path("class/infiniband", name, "ports/1/gids")
		for _, e := range must(os.ReadDir(dir))(t) {
			gid, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err == nil && strings.Trim(string(gid), "0:\n") != "" {
				all = append(all, name+" "+e.Name()+" "+strings.TrimSpace(string(gid)))
			}
		}
	}
	table := string(must(os.ReadFile("/proc/net/if_inet6"))(t))
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); slices.Contains(w.nets[:], f[len(f)-1]) {
			all = append(all, strings.Join(f, " "))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// eventLog is what a device told.
type eventLog struct {
	sync.Mutex
	seen []verbs.EventType
}

func (l *eventLog) has(kind verbs.EventType) bool {
	l.Lock()
	defer l.Unlock()
	return slices.Contains(l.seen, kind)
}

// watch takes the events of a device until the end of the test.
func watch(t *testing.T, dev *verbs.Device) *eventLog {
	l := &eventLog{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			ev, err := dev.NextEvent(t.Context())
			if err != nil {
				if t.Context().Err() == nil && !errors.Is(err, os.ErrClosed) {
					t.Errorf("waiting for events: %v", err)
				}
				return
			}
			if ev.Port != 1 || ev.QP != nil || ev.CQ != nil {
				t.Errorf("%v of port %d, QP %v, CQ %v", ev.Type, ev.Port, ev.QP, ev.CQ)
			}
			l.Lock()
			l.seen = append(l.seen, ev.Type)
			l.Unlock()
			ev.Done()
		}
	}()
	t.Cleanup(func() {
		<-done
		t.Logf("events: %v", l.seen)
	})
	return l
}
