//go:build linux && cgo

package cases

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

const (
	page = 4096
	rw   = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead
)

// All returns every case, in the order in which they run.
func All() []suite.Case {
	return slices.Concat(device(), tables(), mirror(), domain(), parent(), region(), memoryUse(), buffers(), access(), refused(),
		rereg(), onDemand(), onDemandTraffic(), deviceMemory(), deviceMemoryTraffic(), lifetime(), queues(), queueTypes(),
		sharedReceives(), sharedHandles(), small(), windowUse(), ofPages(), compCounters(), flows(), steering(), extended(), streams(),
		flushRequests(), groupTraffic(), frames(), traffic(), repliesTo(), events(), errno(), faults(), faultAddress())
}

// families are the families of cases by the word in their IDs, where that is another one.
var families = map[string]string{
	"mir": "device", "pd": "domain", "td": "domain", "par": "parent domain", "mr": "memory region", "buf": "buffer", "acc": "access",
	"ref": "refused forms", "rer": "change in place", "odp": "on-demand paging", "dm": "device memory", "dmfd": "device memory",
	"lif": "lifetimes", "que": "queue", "srq": "shared receive queue", "xrcd": "xrc", "mw": "memory window", "mcast": "multicast",
	"wq": "work queue", "rwq": "work queue", "moderate": "moderation", "cntr": "completion counters", "cqex": "extended completion queue",
	"dev": "device", "stream": "command stream", "answer": "address handle of a completion", "err": "errors",
}

// of is a case: its ID, what it shows, its man page, and what it needs.
func of(id, title, page string, run func(*suite.T), needs ...suite.Capability) suite.Case {
	word := strings.Split(id, "-")[1]
	return suite.Case{ID: id, Family: cmp.Or(families[word], word), Title: title, Page: page, Needs: needs, Run: run}
}

// shared makes cases that have a man page and needs in common.
func shared(page string, needs ...suite.Capability) func(id, title string, run func(*suite.T), more ...suite.Capability) suite.Case {
	return func(id, title string, run func(*suite.T), more ...suite.Capability) suite.Case {
		return of(id, title, page, run, slices.Concat(needs, more)...)
	}
}

// id writes the ID of a case that is a row of a table.
func id(word string, n int) string { return fmt.Sprintf("CF-%s-%04d", word, n) }

// needs is short for a list of capabilities.
func needs(list ...suite.Capability) []suite.Capability { return list }

// must ends the case on an error.
func must[V any](v V, err error) func(t *suite.T) V {
	return func(t *suite.T) V {
		need(t, err)
		return v
	}
}

// need ends the case on an error.
func need(t *suite.T, err error) {
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// needed ends the case on an error, and says of what.
func needed(t *suite.T, what string, err error) {
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// fails checks that a call failed with one of some errors.
func fails(t *suite.T, what string, err error, set ...error) {
	if !slices.ContainsFunc(set, func(want error) bool { return errors.Is(err, want) }) {
		t.Errorf("%s: %v, want one of %v", what, err, set)
	}
}

// failsAs notes what a call answered, and checks that it failed with one of some errors.
func failsAs(t *suite.T, what string, err error, set ...error) {
	t.Saw(what, err)
	fails(t, what, err, set...)
}

// names checks that an error, if there is one, has the words that name its cause, such as a rule or what is open.
func names(t *suite.T, what string, err error, words ...string) {
	for _, w := range words {
		if err != nil && !strings.Contains(err.Error(), w) {
			t.Errorf("%s: the error does not name %s: %v", what, w, err)
		}
	}
}

// failsNaming is failsAs, and checks that the error names its cause.
func failsNaming(t *suite.T, what string, err error, words string, set ...error) {
	failsAs(t, what, err, set...)
	names(t, what, err, words)
}

// errorOf returns the error of a call that has a result too.
func errorOf[V any](_ V, err error) error { return err }

// is compares a value with what it should be.
func is[V comparable](t *suite.T, what string, got, want V) {
	if got == want {
		return
	}
	form := "%s: %+v, want %+v"
	switch any(got).(type) {
	case string:
		form = "%s: %q, want %q"
	case uint32: // mostly a key or the number of a queue pair
		form = "%s: %#x, want %#x"
	}
	t.Errorf(form, what, got, want)
}

// none checks that a call failed with one of some errors before it did anything: it posted no request, polled no completion.
func none(t *suite.T, what string, set ...error) func(n int, err error) {
	return func(n int, err error) {
		is(t, what+": what was done", n, 0)
		fails(t, what, err, set...)
	}
}

// belongs checks of which domain something is, and that it is of the device under test.
func belongs(t *suite.T, what string, to interface {
	PD() *verbs.PD
	Device() *verbs.Device
}, pd *verbs.PD) {
	if to.PD() != pd || to.Device() != t.Device() {
		t.Errorf("%s is of %v on %v, want %v on %v", what, to.PD(), to.Device(), pd, t.Device())
	}
}

// whole checks that a call has done all that was asked for: posted so many requests, copied so many bytes.
func whole(t *suite.T, what string, want int) func(n int, err error) {
	return func(n int, err error) {
		if n != want || err != nil {
			t.Fatalf("%s = %d, %v; want %d", what, n, err, want)
		}
	}
}

// swapped checks what an atomic found and what it left.
func swapped(t *suite.T, what string, found, left, wantFound, wantLeft uint64) {
	if found != wantFound || left != wantLeft {
		t.Errorf("%s: there was %#x and is %#x, want %#x and %#x", what, found, left, wantFound, wantLeft)
	}
}

// ends has something closed when the case has ended, after what is made later.
func ends[C io.Closer](t *suite.T, what string, c C) C {
	t.Finally(what, c.Close)
	return c
}

// buffer, sends and recvs return memory and batches that end with the case.
func buffer(t *suite.T, length uint64, opts ...mem.Option) *mem.Buffer {
	return ends(t, "a buffer", must(mem.New(length, opts...))(t))
}

func sends(t *suite.T, requests, elements int) *verbs.SendBatch {
	return ends(t, "send requests", must(verbs.NewSendBatch(requests, elements))(t))
}

func recvs(t *suite.T, requests, elements int) *verbs.RecvBatch {
	return ends(t, "receive requests", must(verbs.NewRecvBatch(requests, elements))(t))
}

// newPD returns a protection domain, newTD a thread domain, and newChannel a channel of completions.
func newPD(t *suite.T) *verbs.PD               { return must(t.Device().AllocPD())(t) }
func newTD(t *suite.T) *verbs.TD               { return must(t.Device().AllocTD())(t) }
func newChannel(t *suite.T) *verbs.CompChannel { return must(t.Device().CreateCompChannel())(t) }

// registered registers memory. The region is closed before what was made until then, such as a buffer, if the case has not closed it.
func registered(t *suite.T, pd *verbs.PD, m mem.Source, access verbs.MRAccess) *verbs.MR {
	mr := must(pd.RegMRFrom(m, access))(t)
	t.Cleanup(func() { _ = mr.Close() })
	return mr
}

// dmaBuf returns a descriptor of memory that is closed at the end.
func dmaBuf(t *suite.T, length int64) int {
	fd := must(suite.DMABufFD(t, length))(t)
	t.Finally("the descriptor", func() error { return unix.Close(fd) })
	return fd
}

// without gives the way to the library without the bindings.
func without(t *suite.T) *direct.Context {
	c := must(direct.Open(t.Source(), t.Name()))(t)
	c.Saw = func(verb string, e syscall.Errno) { t.Note(verb+" without the bindings", suite.AnswerErrno(e)) }
	return ends(t, "the context without the bindings", c)
}
