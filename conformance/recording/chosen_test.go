//go:build linux && cgo

package recording

import (
	"reflect"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/verr"
	"github.com/verbsgen/verbsgen/spec/api"
)

// general is the number of candidates before those of an enumeration, which come again and again then.
const general = 8

// chosen makes the value of a field. Where its type on the page is an enumeration, the values that it has are tried in their order after
// some that it has not.
func (b *bed) chosen(page string, t reflect.Type, n, try int, path string) (reflect.Value, want, error) {
	v, w, err := scalar(t, n, try)
	e := b.spec.EnumByGo(page)
	if e == nil || e.Enum == "" || err != nil {
		return v, w, err
	}
	b.enumerated[path] = true
	if all := b.facts.Enum(e.Enum); try >= general && all != nil {
		some := slices.DeleteFunc(slices.Clone(all.Enumerators), func(e api.Enumerator) bool { return e.Value == 0 }) // 0 shows nothing
		if len(some) == 0 {
			some = all.Enumerators
		}
		x := uint64(some[(try-general)%len(some)].Value)
		v.SetUint(x)
		w = numberWant(x)
	}
	return v, w, err
}

// otherKinds moves on from the values of the enumerations of a record whose mask lacks bits: with another value none may be missing.
func (r *request) otherKinds(e *verr.Error) bool {
	again := false
	for _, v := range e.Violations {
		record, field, _ := strings.Cut(v.Rule.Subject, ".")
		x := r.built[record]
		if x == nil || field == "" || x.record.Mask != field {
			continue
		}
		for path := range r.tries {
			if r.enumerated[path] && strings.HasPrefix(path, record+".") {
				r.tries[path]++
				again = true
			}
		}
	}
	return again
}
