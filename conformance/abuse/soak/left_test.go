//go:build linux && cgo

package soak

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// left is what a process has: goroutines, open files, handles that are reachable, and memory that only this project maps (mem.Buffer
// keeps its memory from forks; the memory of software devices has a name).
type left struct {
	goroutines, files int
	handles           int64
	mapped            uint64 // in kB
}

// handles counts those of note that the collector has not freed.
var handles atomic.Int64

// note counts a handle, which nothing may keep reachable once it is closed.
func note[T any](handle *T) {
	handles.Add(1)
	runtime.AddCleanup(handle, func(struct{}) { handles.Add(-1) }, struct{}{})
}

func look(t *testing.T) (l left) {
	t.Helper()
	runtime.GC()
	runtime.GC() // runs finalizers: a forgotten pin ends the program
	l.goroutines, l.handles = runtime.NumGoroutine(), handles.Load()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	l.files = len(files)
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	l.mapped = ours(string(maps))
	return l
}

var (
	mapping = regexp.MustCompile(`(?m)^[0-9a-f]+-[0-9a-f]+ `)
	sizeOf  = regexp.MustCompile(`(?m)^Size: +(\d+) kB`)
	flags   = regexp.MustCompile(`(?m)^VmFlags:.* dc( |$)`)
)

// ours is the size of the mappings that this project made, in kB.
func ours(smaps string) (kB uint64) {
	at := append(mapping.FindAllStringIndex(smaps, -1), []int{len(smaps)})
	for i := range at[:len(at)-1] {
		one := smaps[at[i][0]:at[i+1][0]]
		if !flags.MatchString(one) && !strings.Contains(one, "softverbs") {
			continue
		}
		var n uint64
		if m := sizeOf.FindStringSubmatch(one); m != nil {
			_, _ = fmt.Sscan(m[1], &n)
		}
		kB += n
	}
	return kB
}

// compare fails the test for what is there now and was not before. The end of goroutines and threads may take a moment.
func (l left) compare(t *testing.T) {
	t.Helper()
	now := look(t)
	for late := time.Now().Add(time.Minute); now.more(l) && time.Now().Before(late); now = look(t) {
		time.Sleep(20 * time.Millisecond)
	}
	if now.more(l) {
		b := make([]byte, 1<<16)
		t.Errorf("left behind: goroutines, files, handles and mapped kB are %+v, were %+v\n%s", now, l, b[:runtime.Stack(b, true)])
	}
}

func (l left) more(than left) bool {
	return l.goroutines > than.goroutines || l.files > than.files || l.handles > 0 || l.mapped > than.mapped
}
