//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/verr"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// request is one call of a method, and what C must see of it.
type request struct {
	*bed
	verb   *spec.Verb
	method *spec.Method
	fn     reflect.Value
	recv   uint64                   // address of the receiver
	args   []reflect.Value          // of Go
	want   map[string]want          // arguments of C, and what is behind them, by path
	built  map[string]*builder      // by argument of C
	known  map[string]bool          // arguments of C that the page has
	lists  map[string]reflect.Value // that C fills, by argument of C
	made   reflect.Value            // the mem.DMABuf of a method that takes one
	given  *builder                 // in the place of one of its own
	state  map[string]uint64        // of objects, by "qp.qp_type": what rules ask for
	turns  int                      // how often all values of a subject were refused
	got    Call
	err    error
	*attempt
}

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

// newCall prepares a call on a receiver of its own.
func (b *bed) newCall(verb *spec.Verb, method *spec.Method) *request {
	b.Helper()
	of, name, _ := strings.Cut(method.Go, ".")
	v, at := b.handle(of)
	fn := v.MethodByName(name)
	if !fn.IsValid() {
		b.Fatalf("the page of %s has a method %s, the package does not", verb.C, method.Go)
	}
	return &request{bed: b, verb: verb, method: method, fn: fn, recv: at, state: map[string]uint64{}, attempt: newAttempt()}
}

// make makes the call with the given setters of its builders, all of them for nil. When a rule refuses a value, it tries another one.
// got has what was recorded.
func (r *request) make(setters []string) []reflect.Value {
	r.Helper()
	for {
		r.fill(setters)
		if r.err != nil {
			return nil
		}
		must(r.rec.Calls())(r.TB) // of objects that were made for it
		results := r.fn.Call(r.args)
		r.err = nil
		if n := len(results); n > 0 && results[n-1].Type() == reflect.TypeFor[error]() {
			r.err, _ = results[n-1].Interface().(error)
			results = results[:n-1]
		}
		if r.err == nil {
			return r.reached(results)
		}
		if !r.retry() {
			return nil
		}
	}
}

// reached finds what was recorded. An inline function that does more than call its operation may have called another one: then this call
// shows nothing, and counts as refused.
func (r *request) reached(results []reflect.Value) []reflect.Value {
	r.Helper()
	function := functionOf(r.verb.C)
	call, others, ok := r.find(function)
	d := r.facts.Func(r.verb.C).Dispatch
	switch {
	case ok:
		r.got = call
		return results
	case d != nil && d.Way == api.WaySpecial:
		r.err = fmt.Errorf("the header calls %s, not %s", others, function)
	default:
		r.Fatalf("%s was not called, but %s", function, others)
	}
	return nil
}

// retry moves on from the values that rules refused.
func (r *request) retry() bool {
	var e *verr.Error
	if !errors.As(r.err, &e) || !e.Refused {
		return false
	}
	again := false
	for _, v := range e.Violations {
		s := v.Rule.Subject
		if _, ok := r.tries[s]; ok {
			r.tries[s]++
			again = true
		} else if r.known[first(strings.Split(s, ".")...)] && strings.Contains(s, ".") && r.state[s] < mostCandidates {
			r.state[s]++
			again = true
		}
	}
	return (r.otherKinds(e) || again) && r.turn()
}

// turn begins the values of a subject again when all were refused, with others of the rest: a rule may be about two of them.
func (r *request) turn() bool {
	for _, s := range slices.Sorted(maps.Keys(r.tries)) {
		if r.tries[s] < mostCandidates {
			continue
		}
		for other := range r.tries {
			r.tries[other]++
		}
		r.tries[s] = 0
		r.turns++
		break
	}
	return r.turns < mostCandidates
}

// fill makes the arguments.
func (r *request) fill(setters []string) {
	r.Helper()
	r.args, r.want, r.built, r.known, r.next, r.err = nil, map[string]want{}, map[string]*builder{}, map[string]bool{}, 0, nil
	r.lists, r.made = map[string]reflect.Value{}, reflect.Value{}
	in := 0
	take := func() reflect.Type {
		r.Helper()
		in++
		if in > r.fn.Type().NumIn() {
			r.Fatalf("%s takes fewer arguments than the page of %s says", r.method.Go, r.verb.C)
		}
		return r.fn.Type().In(in - 1)
	}
	for i := range r.verb.Params {
		p := &r.verb.Params[i]
		r.known[p.C] = true
		if text, fixed := r.method.Fixed[p.C]; fixed {
			r.fixed(p, text)
			continue
		}
		r.arg(p, i, setters, take)
	}
	for in < r.fn.Type().NumIn() { // what only Go takes: the length of imported memory
		v, _, err := scalar(take(), r.next, 0)
		if err != nil {
			r.Fatalf("%s: an argument that is not on the page: %v", r.method.Go, err)
		}
		r.args = append(r.args, v)
	}
	for _, x := range r.built {
		r.err = errors.Join(r.err, x.err)
	}
}

// fixed notes an argument that the method gives itself.
func (r *request) fixed(p *spec.Param, text string) {
	switch n, err := strconv.ParseUint(text, 0, 64); {
	case text == "NULL":
		r.want[p.C] = numberWant(0)
	case err == nil:
		r.want[p.C] = numberWant(n)
	default:
		r.want[p.C] = numberWant(r.constants([]string{text}))
	}
}

// arg makes the Go argument of an argument of C, where there is one.
func (r *request) arg(p *spec.Param, i int, setters []string, take func() reflect.Type) {
	r.Helper()
	r.next++
	switch {
	case p.Role == role.Handle && i == 0 && r.recv != 0:
		r.want[p.C] = numberWant(r.recv)
		r.poke(p, r.recv)
	case p.Role == role.Handle:
		typ := take()
		v, at := r.kept(r.attempt, p.Type, p.C)
		if p.Null {
			r.tries[p.C] += 0
		}
		if r.tries[p.C]%2 == 1 { // a rule refuses the handle, so nil is what the method takes
			v, at = reflect.Zero(typ), 0
		}
		r.poke(p, at)
		r.args = append(r.args, v)
		r.want[p.C] = numberWant(at)
	case p.Role == role.InRecord && r.spec.RecordByGo(p.Type).Runtime != "":
		r.args = append(r.args, r.runtimeRecord(p, take()))
	case p.Role == role.InRecord && empty(r.spec.RecordByGo(p.Type)):
		r.want[p.C] = want{some: true}
	case p.Role == role.InRecord:
		take()
		x := r.given
		if x == nil {
			x = r.build(p.Type, setters, p.C, r.attempt)
		}
		r.built[p.C] = x
		r.args = append(r.args, x.arg())
		r.want[p.C] = want{some: true}
	case p.Role == role.Addr:
		v, addr, length := r.piece(take(), r.next)
		r.args = append(r.args, v)
		r.want[p.C] = numberWant(addr)
		if length != 0 {
			r.want[p.Len] = numberWant(length)
		}
	case r.method.Form == "dmabuf" && dmaBuf[p.C] != "":
		if !r.made.IsValid() {
			r.made = reflect.New(take()).Elem()
			r.args = append(r.args, r.made)
		}
		field := r.made.FieldByName(dmaBuf[p.C])
		r.scalar(p, field.Type())
		last := len(r.args) - 1
		field.Set(r.args[last])
		r.args = r.args[:last]
	case p.Role == role.Slice:
		r.slice(p, take())
	case p.Role == role.Len && r.want[p.C].text != "", p.Role == role.Mask:
	case p.Role == role.OutRecord:
		r.want[p.C] = want{some: true}
	case p.Role == role.Out || p.Role == role.Made:
		r.want[p.C] = want{free: true} // where there is a number, it is recorded in the place of its address
	case p.Rest:
		r.scalar(p, take().Elem())
	default:
		if t := take(); t == typeBytes {
			r.args = append(r.args, r.bytes(p))
		} else if t.Kind() == reflect.Slice {
			r.filled(p, t)
		} else {
			r.scalar(p, t)
		}
	}
}

// dmaBuf are the fields of mem.DMABuf, by the parameters that a method of form dmabuf takes from them.
var dmaBuf = map[string]string{"fd": "FD", "offset": "Offset", "length": "Length"}

// poke gives an object the state that rules asked for.
func (r *request) poke(p *spec.Param, at uint64) {
	r.Helper()
	for path, value := range r.state {
		if field, ok := strings.CutPrefix(path, p.C+"."); ok && !r.rec.Poke("struct "+r.spec.ObjectByGo(p.Type).C, at, field, value) {
			r.Fatalf("%s: a rule is about %s, which the object does not have", r.verb.C, path)
		}
	}
}

// filled makes a list for C to fill.
func (r *request) filled(p *spec.Param, t reflect.Type) {
	list := reflect.MakeSlice(t, listLen, listLen)
	r.args, r.lists[p.C] = append(r.args, list), list
	r.want[p.C], r.want[p.Len] = want{some: true}, numberWant(listLen)
}

func (r *request) scalar(p *spec.Param, t reflect.Type) {
	v, w, err := scalar(t, r.next, r.tries[p.C])
	r.err = errors.Join(r.err, err)
	r.tries[p.C] += 0
	r.args = append(r.args, v)
	if len(r.method.ImpliesFlags) > 0 && p.Role == role.Flags {
		w = numberWant(v.Uint() | r.constants(r.method.ImpliesFlags))
	}
	r.want[p.C] = w
}

// listLen is the length of lists.
const listLen = 2

// slice makes a list of records.
func (r *request) slice(p *spec.Param, t reflect.Type) {
	r.Helper()
	const n = listLen
	record := r.spec.RecordByGo(p.Type)
	list := reflect.MakeSlice(t, n, n)
	for i := range n {
		for _, f := range record.Fields {
			r.next++
			field := list.Index(i).FieldByName(f.Go)
			path := fmt.Sprintf("%s[%d].%s", p.C, i, f.C)
			v, w, err := scalar(field.Type(), r.next, r.tries[path])
			r.err = errors.Join(r.err, err)
			r.tries[path] += 0
			field.Set(v)
			r.want[path] = w
		}
	}
	r.args = append(r.args, list)
	r.want[p.C], r.want[p.Len] = want{some: true}, numberWant(n)
}
