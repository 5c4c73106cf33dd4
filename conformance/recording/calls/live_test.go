//go:build linux && cgo

package calls

import (
	"errors"
	"reflect"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// handle is a live handle by its type, and its number among those of connectIDs.
type handle struct {
	of     reflect.Type
	number int
}

// live are the handles whose methods are called with nil and zero arguments.
var live = map[string]handle{
	"live":         {reflect.TypeFor[*rdmacm.Lib](), 0},
	"live channel": {reflect.TypeFor[*rdmacm.EventChannel](), 0},
	"listening":    {reflect.TypeFor[*rdmacm.ID](), 0},
	"accepted":     {reflect.TypeFor[*rdmacm.ID](), 1},
	"connected":    {reflect.TypeFor[*rdmacm.ID](), 2},
}

// in returns the handle.
func (h handle) in(p *pool) reflect.Value { return p.have[h.of][h.number] }

// handles makes the live handles that a call needs, on software devices of its own, and returns what closes them and what the call made.
func (c nilCall) handles() (p *pool, closeAll func(made []reflect.Value) error) {
	if _, ok := live[c.receiver]; !ok {
		return nil, func([]reflect.Value) error { return nil }
	}
	p = &pool{have: map[reflect.Type][]reflect.Value{}}
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	v, err := verbs.LoadFrom(soft)
	if err != nil {
		panic(err)
	}
	m, err := connectIDs(p, v, soft)
	if err != nil {
		panic(err)
	}
	return p, func(made []reflect.Value) error {
		var errs []error
		for _, r := range made {
			switch x := r.Interface().(type) {
			case *rdmacm.EventChannel:
				m.channels = append(m.channels, x)
			case *verbs.Device:
				if x != nil {
					errs = append(errs, x.CloseAll())
				}
			}
		}
		return errors.Join(append(errs, m.close(), soft.Close())...)
	}
}
