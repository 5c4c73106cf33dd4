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
	tries  map[string]int
	turns  int // how often all values of a subject were refused
	next   int
	got    Call
	err    error
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
	return &request{bed: b, verb: verb, method: method, fn: fn, recv: at, tries: map[string]int{}}
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
			r.got = r.last(functionOf(r.verb.C))
			return results
		}
		if !r.retry() {
			return nil
		}
	}
}

// retry moves on from the values that rules refused.
func (r *request) retry() bool {
	var e *verr.Error
	if !errors.As(r.err, &e) || !e.Refused {
		return false
	}
	again := false
	for _, v := range e.Violations {
		if _, ok := r.tries[v.Rule.Subject]; ok {
			r.tries[v.Rule.Subject]++
			again = true
		}
	}
	return again && r.turn()
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
	r.lists = map[string]reflect.Value{}
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
	case p.Role == spec.RoleHandle && i == 0 && r.recv != 0:
		r.want[p.C] = numberWant(r.recv)
	case p.Role == spec.RoleHandle:
		take()
		v, at := r.handle(p.Type)
		r.args = append(r.args, v)
		r.want[p.C] = numberWant(at)
	case p.Role == spec.RoleInRec:
		take()
		x := r.build(p.Type, setters, p.C, &r.next, r.tries)
		r.built[p.C] = x
		r.args = append(r.args, x.v)
		r.want[p.C] = want{some: true}
	case p.Role == spec.RoleAddr:
		v, addr, length := r.piece(take(), r.next)
		r.args = append(r.args, v)
		r.want[p.C] = numberWant(addr)
		if length != 0 {
			r.want[p.Len] = numberWant(length)
		}
	case p.Role == spec.RoleSlice:
		r.slice(p, take())
	case p.Role == spec.RoleLen && r.want[p.C].text != "", p.Role == spec.RoleMask:
	case p.Role == spec.RoleOutRec:
		r.want[p.C] = want{some: true}
	case p.Role == spec.RoleOut:
		r.want[p.C] = want{free: true} // where there is a number, it is recorded in the place of its address
	case p.Rest:
		r.scalar(p, take().Elem())
	default:
		if t := take(); t.Kind() == reflect.Slice {
			r.filled(p, t)
		} else {
			r.scalar(p, t)
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
	if len(r.method.ImpliesFlags) > 0 && p.Role == spec.RoleFlags {
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

// compare holds what was recorded against what was set: all of it, and nothing else.
func (r *request) compare() {
	r.Helper()
	wants := maps.Clone(r.want)
	for param, x := range r.built {
		for c, w := range x.want {
			wants[param+"."+c] = w
		}
		switch {
		case x.record.Mask != "":
			wants[param+"."+x.record.Mask] = numberWant(x.mask)
		case x.record.MaskParam != "":
			wants[x.record.MaskParam] = numberWant(x.mask)
		}
	}
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(wants)) {
		leaf := leafOf(r.got.In, path)
		seen[leaf] = true
		if got := r.got.In[leaf]; !wants[path].met(got) && !(wants[path].text == "0" && got == "") {
			r.Errorf("%s: C sees %s = %s, not %s%s", r.method.Go, path, got, wants[path], r.instead(wants[path]))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(r.got.In)) {
		if !seen[path] && !zero(r.got.In[path]) && !r.shares(path, seen) {
			r.extra(path)
		}
	}
}

// leafOf gives the path that is recorded for a field: of a union the first member.
func leafOf(recorded map[string]string, path string) string {
	if _, ok := recorded[path]; ok {
		return path
	}
	best := ""
	for p := range recorded {
		if strings.HasPrefix(p, path+".") && Bytes(recorded[p]) != nil && (best == "" || p < best) {
			best = p
		}
	}
	return best
}

// instead tells where a value went.
func (r *request) instead(w want) string {
	for _, path := range slices.Sorted(maps.Keys(r.got.In)) {
		if !w.some && !zero(w.text) && r.got.In[path] == w.text {
			return ", which is in " + path
		}
	}
	return ""
}

// extra judges a value that nobody set.
func (r *request) extra(path string) {
	r.Helper()
	if equal, ok := reaches[r.verb.C].also[path]; ok {
		if r.got.In[path] != r.got.In[equal] {
			r.Errorf("%s: C sees %s = %s, not that of %s, %s", r.method.Go, path, r.got.In[path], equal, r.got.In[equal])
		}
		return
	}
	if !r.known[path] && !strings.Contains(path, ".") {
		for _, p := range r.verb.Params { // the size that the header adds
			if rec := r.spec.RecordByGo(p.Type); rec != nil && r.got.In[path] == fmt.Sprint(r.facts.Record("struct "+rec.C).Size) {
				return
			}
		}
	}
	r.Errorf("%s: C sees %s = %s, which nobody set", r.method.Go, path, r.got.In[path])
}

// shares reports whether a field lies in the same memory as one that was set, in a union.
func (r *request) shares(path string, seen map[string]bool) bool {
	param, inner, nested := strings.Cut(path, ".")
	if !nested {
		return false
	}
	tag := r.tagOf(param)
	from, size := r.place(tag, inner)
	for s := range seen {
		if p, in, ok := strings.Cut(s, "."); ok && p == param {
			if at, n := r.place(tag, in); at < from+size && from < at+n {
				return true
			}
		}
	}
	return false
}

// tagOf gives the record behind an argument.
func (r *request) tagOf(param string) string {
	name, _, _ := strings.Cut(param, "[")
	for _, p := range r.verb.Params {
		if rec := r.spec.RecordByGo(p.Type); p.C == name && rec != nil {
			return "struct " + rec.C
		}
	}
	return ""
}

// place gives offset and size of a field of a record, by the facts.
func (b *bed) place(tag, path string) (offset, size int64) {
	rec := b.rec.source.records[tag]
	if rec == nil {
		return 0, 0
	}
	var best *api.Field
	for i, f := range rec.Fields {
		if f.Name != "" && (path == f.Name || strings.HasPrefix(path, f.Name+".")) && (best == nil || len(f.Name) > len(best.Name)) {
			best = &rec.Fields[i]
		}
	}
	if best == nil {
		return 0, 0
	}
	if rest, deeper := strings.CutPrefix(path, best.Name+"."); deeper {
		at, n := b.place(best.Type, rest)
		return best.Offset + at, n
	}
	return best.Offset, best.Size
}
