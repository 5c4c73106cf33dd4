//go:build linux && cgo

package cases

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"

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

// ok fails the case on an error, and lets it go on.
func ok(t *suite.T, what string, err error) { t.OK(what, err) }

// fails checks that a call failed with one of some errors.
func fails(t *suite.T, what string, err error, set ...error) {
	if !slices.ContainsFunc(set, func(want error) bool { return errors.Is(err, want) }) {
		t.Errorf("%s: %v, want one of %v", what, err, set)
	}
}

// errorOf returns the error of a call that has a result too.
func errorOf[V any](_ V, err error) error { return err }

// buffer returns memory that is closed at the end, when nothing holds it any more.
func buffer(t *suite.T, length uint64) *mem.Buffer {
	buf := must(mem.New(length))(t)
	t.Cleanup(func() { ok(t, "closing a buffer", buf.Close()) })
	return buf
}

// newPD returns a protection domain.
func newPD(t *suite.T) *verbs.PD { return must(t.Device().AllocPD())(t) }

// without gives the way to the library without the bindings.
func without(t *suite.T) *direct.Context {
	c := must(direct.Open(t.Source(), t.Name()))(t)
	c.Saw = func(verb string, e syscall.Errno) { t.Note(verb+" without the bindings", suite.AnswerErrno(e)) }
	t.Cleanup(func() { ok(t, "closing the context without the bindings", c.Close()) })
	return c
}
