//go:build linux

package suite

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// maxObserved is how many answers of a case a report shows one by one.
const maxObserved = 64

// observer keeps what a device answered in a case: the first answers as they are, of the rest their number and a hash.
type observer struct {
	list []report.Observation
	more int
	rest hash.Hash
	over bool // what is cleaned up is not what the case is about
}

func (o *observer) add(what, answer string) {
	if len(o.list) < maxObserved {
		o.list = append(o.list, report.Observation{What: what, Answer: answer})
		return
	}
	if o.rest == nil {
		o.rest = sha256.New()
	}
	o.more++
	fmt.Fprintf(o.rest, "%q %q\n", what, answer) // a hash takes everything
}

// all returns the list, with one entry more for the answers that it has no room for.
func (o *observer) all() []report.Observation {
	if o.more == 0 {
		return o.list
	}
	sum := hex.EncodeToString(o.rest.Sum(nil)[:8])
	return append(o.list[:maxObserved:maxObserved], report.Observation{What: fmt.Sprintf("%d answers more", o.more), Answer: "hash " + sum})
}

// Note adds an answer of the device to the report. Both texts are the same in every run on the same device: no address, no
// key, no time. Devices are compared by what is noted, in its order.
func (t *T) Note(what, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended && !t.observed.over {
		t.observed.add(what, answer)
	}
}

// Saw notes what a call answered.
func (t *T) Saw(what string, err error) { t.Note(what, Answer(err)) }

// Answer is what a report says of an error: the name of its errno, the rules that refused the call, "closed" for the use of
// what was closed, "ok" for none.
func Answer(err error) string {
	var e *verr.Error
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &e) && e.Refused && len(e.Violations) > 0:
		return "refused by rule " + strings.Join(Refused(err), ", ")
	case errors.Is(err, os.ErrClosed):
		return "closed"
	case errors.As(err, &errno):
		return verr.ErrnoName(errno)
	}
	return "an error without an errno"
}

// AnswerErrno is what a report says of an errno, 0 for none: the answer of a call without the bindings.
func AnswerErrno(e syscall.Errno) string {
	if e == 0 {
		return "ok"
	}
	return verr.ErrnoName(e)
}

// StatusName is the C name of a value of enum ibv_wc_status.
func StatusName(status verbs.WCStatus) string { return softverbs.Status(status).String() }
