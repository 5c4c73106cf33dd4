package fail

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Lints reports lints to a program. The zero value, and nil, report nothing.
type Lints struct {
	report atomic.Pointer[reporter]
}

// reporter is the function that is called, and what it was called with.
type reporter struct {
	f     func(*verr.Lint)
	every bool
	seen  sync.Map // of a place and a rule
}

// On makes f the function that is called with each lint: once for each line of the program, or with every for each call. nil ends
// this. f may be called from several goroutines at once.
func (l *Lints) On(f func(*verr.Lint), every bool) {
	if l == nil {
		return
	}
	if f == nil {
		l.report.Store(nil)
		return
	}
	l.report.Store(&reporter{f: f, every: every})
}

// Wanted reports whether a function is set.
func (l *Lints) Wanted() bool { return l != nil && l.report.Load() != nil }

// Report calls the function with each of the broken rules. It is called by a method of a generated package.
func (l *Lints) Report(broken []verr.Violation) {
	if !l.Wanted() || len(broken) == 0 {
		return
	}
	r := l.report.Load()
	if r == nil {
		return
	}
	at := callerOf()
	for _, v := range broken {
		if v.Rule != nil && !r.every {
			if _, again := r.seen.LoadOrStore([3]any{v.Rule.ID, at.File, at.Line}, true); again {
				continue
			}
		}
		Callback(func() { r.f(&verr.Lint{Violation: v, File: at.File, Line: at.Line}) })
	}
}

// callerOf returns the line of the program: the first frame outside of this module's runtime and of the package that called Report.
func callerOf() (at runtime.Frame) {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	generated := ""
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		of := packageOf(f.Function)
		switch {
		case strings.HasPrefix(of, ours):
		case generated == "":
			generated = of
		case of != generated:
			return f
		}
	}
	return at
}

// ours is what the import paths of generated packages' helpers begin with.
var ours = strings.TrimSuffix(packageOf(runtime.FuncForPC(reflect.ValueOf(packageOf).Pointer()).Name()), "fail")

// packageOf returns the import path of a function.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// Texts are rules that a call breaks, as causes of its errno. They are of arguments: none explains an errno that says something else.
func Texts(errno syscall.Errno, broken []verr.Violation) []string {
	switch errno {
	case syscall.EPERM, syscall.EACCES, syscall.EEXIST, syscall.EMFILE, syscall.ENFILE, syscall.ENETUNREACH, syscall.EHOSTUNREACH,
		syscall.ETIMEDOUT, syscall.EINTR:
		return nil
	}
	if len(broken) == 0 {
		return nil
	}
	out := make([]string, len(broken))
	for i, v := range broken {
		out[i] = v.String()
	}
	return out
}
