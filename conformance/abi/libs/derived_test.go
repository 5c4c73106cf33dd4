//go:build linux && cgo

package libs

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
	"github.com/verbsgen/verbsgen/spec"
)

// This file calls verbs that no list here names, so that a new function needs no line: by the method of its page, with objects of the
// bed, 1 for each number and empty records.

// derived calls a verb by the first of its methods whose receiver the bed has.
func (b *beds) derived(v *spec.Verb) error {
	for _, m := range v.Methods {
		typ, name, _ := strings.Cut(m.Go, ".")
		receiver := b.have(typ)
		if !receiver.IsValid() {
			continue
		}
		method := receiver.MethodByName(name)
		if !method.IsValid() {
			return fmt.Errorf("%s is not a method", m.Go)
		}
		err := b.call(method, 1)
		if refused := new(verr.Error); errors.As(err, &refused) && refused.Refused && len(refused.Violations) > 0 {
			err = b.call(method, 0)
		}
		return err
	}
	return fmt.Errorf("%s: no object here has a method of it; write a call", v.C)
}

// have returns the object of a Go type, or nothing.
func (b *beds) have(typ string) reflect.Value {
	for _, object := range []any{b.lib, b.dev, b.pd, b.cq, b.qp, b.srq, b.mw, b.xrcd, b.flow, b.counters} {
		if v := reflect.ValueOf(object); v.Type().Elem().Name() == typ && !v.IsNil() {
			return v
		}
	}
	return reflect.Value{}
}

// call calls a method with a number for each number, and returns its error.
func (b *beds) call(method reflect.Value, number uint64) error {
	t := method.Type()
	var args []reflect.Value
	for i := range t.NumIn() {
		if t.IsVariadic() && i == t.NumIn()-1 {
			break
		}
		args = append(args, b.argument(t.In(i), number))
	}
	results := method.Call(args)
	if n := len(results); n > 0 {
		if err, is := results[n-1].Interface().(error); is {
			return err
		}
	}
	return nil
}

// argument makes a value of a type.
func (b *beds) argument(t reflect.Type, number uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case v.CanUint():
		v.SetUint(number)
	case v.CanInt():
		v.SetInt(int64(number))
	case t.Kind() == reflect.Pointer:
		if object := b.have(t.Elem().Name()); object.IsValid() {
			return object
		}
		return reflect.New(t.Elem())
	case t.Kind() == reflect.Slice:
		return reflect.Append(v, b.argument(t.Elem(), number))
	}
	return v
}

// makers are the verbs that make an object which a verb takes, and which the bed has not.
func makers(sp *spec.Spec, b *beds, v *spec.Verb) (out []string) {
	for _, p := range v.Params {
		if sp.ObjectByGo(p.Type) == nil || b.have(p.Type).IsValid() {
			continue
		}
		for m := range sp.Verbs() {
			if m.Creates == p.Type {
				out = append(out, m.C)
			}
		}
	}
	return out
}

// unmade reports whether a verb takes an object that no verb makes with a library that lacks these functions: a call of it is that of the
// verb which makes the object.
func unmade(sp *spec.Spec, b *beds, v *spec.Verb, lacking []bound) bool {
	all := makers(sp, b, v)
	return len(all) > 0 && !slices.ContainsFunc(all, func(c string) bool {
		return !slices.ContainsFunc(lacking, func(l bound) bool { return l.name == c })
	})
}

// pages are the project's own.
func pages(t *testing.T) *spec.Spec {
	t.Helper()
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	return sp
}
