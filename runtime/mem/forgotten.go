package mem

import (
	"fmt"
	"log"
	"runtime"
	"sync"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// kept is all memory that is pinned, and who wants to know of a Pin that was forgotten.
var kept struct {
	sync.Mutex
	all    map[*pinState]struct{}
	report func(error)
}

// OnForgotten sets f as the function that is called when the collector has found a Pin that was not unpinned and that nobody can
// unpin any more. The error says how long the memory is, and where it was pinned. Without f, or after nil, package log prints the
// error. f is called on a goroutine of its own.
func OnForgotten(f func(err error)) {
	kept.Lock()
	defer kept.Unlock()
	kept.report = f
}

// keep has the memory of p stay reachable until letGo, and watches p.
func keep(p *Pin) {
	kept.Lock()
	defer kept.Unlock()
	if kept.all == nil {
		kept.all = map[*pinState]struct{}{}
	}
	kept.all[p.pinState] = struct{}{}
	runtime.AddCleanup(p, forgotten, p.pinState)
}

func letGo(p *pinState) {
	kept.Lock()
	defer kept.Unlock()
	delete(kept.all, p)
}

// forgotten is called when a Pin was collected.
func forgotten(p *pinState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes == nil {
		return
	}
	where := ""
	if p.by != 0 {
		f, _ := runtime.CallersFrames([]uintptr{p.by}).Next()
		where = fmt.Sprintf("; it was pinned at %s:%d", f.File, f.Line)
	}
	err := &verr.Error{Msg: fmt.Sprintf("a Pin of %d bytes at %p was forgotten: the memory stays pinned for as long as the program runs; "+
		"keep the Pin, and call its Unpin%s", len(p.bytes), unsafe.SliceData(p.bytes), where)}
	kept.Lock()
	report := kept.report
	kept.Unlock()
	if report == nil {
		log.Print("mem: ", err)
		return
	}
	go report(err) // the goroutine here is that of all cleanups, which a Goexit would end
}
