//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// attempt is what the tries of one call share.
type attempt struct {
	next  int               // counts the values of a call, so that each has its own
	tries map[string]int    // how many values were refused, by path
	made  map[string]object // for the arguments and fields that take objects, by path
}

func newAttempt() *attempt { return &attempt{tries: map[string]int{}, made: map[string]object{}} }

type object struct {
	v  reflect.Value
	at uint64
}

// kept makes the object that a place of a call takes. Each try of the call gets the same: what a rule refuses does not reach C.
func (b *bed) kept(a *attempt, of, path string) (reflect.Value, uint64) {
	b.Helper()
	o, ok := a.made[path]
	if !ok {
		o.v, o.at = b.handle(of)
		a.made[path] = o
	}
	return o.v, o.at
}

// settlement is what came of trying the values of a call: those that the rules accept, or that they accept none.
type settlement struct {
	tries map[string]int
	state map[string]uint64
	err   error
}

// settled are the calls that were tried before, in whatever test. The rules look at values of Go, so that they say the same again.
var settled = map[string]settlement{}

// call names a call with these setters.
func (r *request) call(setters []string) string {
	return fmt.Sprintf("%s %d %t %q", r.method.Go, r.arm, setters == nil, setters)
}

// begin starts with the values that were accepted before, and reports whether there are any; err is set where none was.
func (r *request) begin(setters []string) (known bool) {
	s, ok := settled[r.call(setters)]
	if r.given != nil || len(r.behind) > 0 || !ok {
		return false
	}
	r.tries, r.state, r.err = maps.Clone(s.tries), maps.Clone(s.state), s.err
	return true
}

// settle notes what came of a call.
func (r *request) settle(setters []string) {
	var e *verr.Error
	if r.given != nil || len(r.behind) > 0 || r.err != nil && !(errors.As(r.err, &e) && e.Refused) {
		return
	}
	settled[r.call(setters)] = settlement{maps.Clone(r.tries), maps.Clone(r.state), r.err}
}
