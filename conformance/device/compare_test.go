//go:build linux && cgo

package device

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// exception is a set of access combinations that a kernel refuses with EINVAL and the validator does not.
type exception struct {
	series string // of the kernel, "6.1"
	any    verbs.MRAccess
	reason string
}

const persistent = "the device can, but the memory of the test is not persistent, which the validator cannot know"

var exceptions = []exception{
	{"6.12", verbs.MRAccessFlushPersistent, persistent},
	{"7.2", verbs.MRAccessFlushPersistent, persistent},
}

// listed returns the exceptions of a kernel.
func listed(series string) []exception {
	var out []exception
	for _, e := range exceptions {
		if e.series == series {
			out = append(out, e)
		}
	}
	return out
}

// outcome is what a comparison found.
type outcome struct {
	refused  int      // combinations that the validator refuses
	einval   int      // combinations that the kernel refuses with EINVAL
	listed   int      // of those, the ones that an exception tells of
	problems []string // what must not be
}

// compare holds a validator against a kernel: what the validator refuses, the kernel refuses, however; what the kernel refuses
// with EINVAL, the validator refuses, or an exception says why not. Counts of zero are problems, for then nothing was compared.
func compare(values []uint32, refuses func(uint32) bool, kernel func(uint32) syscall.Errno, list []exception) outcome {
	var o outcome
	used := make([]int, len(list))
	for _, v := range values {
		no, errno := refuses(v), kernel(v)
		if no {
			o.refused++
		}
		if errno == syscall.EINVAL {
			o.einval++
		}
		switch {
		case no && errno == 0:
			o.problem("%v: the validator refuses it, the kernel accepts it", verbs.MRAccess(v))
		case !no && errno == syscall.EINVAL:
			if at := find(list, v); at >= 0 {
				o.listed++
				used[at]++
			} else {
				o.problem("%v: the kernel refuses it with EINVAL, the validator does not, and it is not listed", verbs.MRAccess(v))
			}
		}
	}
	for i, e := range list {
		if used[i] == 0 {
			o.problem("listed for %v, but it does not happen: %s", e.any, e.reason)
		}
	}
	if o.refused == 0 {
		o.problem("the validator refuses nothing")
	}
	if o.einval == 0 {
		o.problem("the kernel refuses nothing with EINVAL")
	}
	return o
}

func (o *outcome) problem(format string, args ...any) {
	o.problems = append(o.problems, fmt.Sprintf(format, args...))
}

func find(list []exception, v uint32) int {
	for i, e := range list {
		if uint32(e.any)&v != 0 {
			return i
		}
	}
	return -1
}

// report fails the test on problems, of which it shows a few, and always tells the counts.
func (o *outcome) report(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: the validator refuses %d, the kernel refuses %d with EINVAL, of which %d are listed", what, o.refused, o.einval, o.listed)
	if n := len(o.problems); n > 0 {
		t.Errorf("%s: %d problems, such as:\n%s", what, n, strings.Join(o.problems[:min(n, 10)], "\n"))
	}
}
