package bridge

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

type stream struct{ of *thing }

// TestEnterStream holds the handle of a stream for a call, and refuses one that was never made, is nil or of a package that offers none.
func TestEnterStream(t *testing.T) {
	offer()
	l, c := new(lib), new(int)
	x := newThing(t, l)
	var g gate.Gate
	OfferStream(func(s *stream) Stream {
		if s.of == nil {
			return Stream{}
		}
		return Stream{&g, unsafe.Pointer(c), s.of.base()}
	})
	u := Uses{Verb: "verb", Lib: l}
	got, err := EnterStream(&u, "qp", &stream{x})
	if err != nil || got.Gate != &g || got.Object != unsafe.Pointer(c) || got.Handle != x.base() {
		t.Errorf("%+v, %v", got, err)
	}
	u.Exit()
	u = Uses{Verb: "verb", Lib: new(lib)}
	_, err = EnterStream(&u, "qp", &stream{x})
	wants(t, err, syscall.EINVAL, "another loaded library")
	u.Exit()
	if err := x.Close(); err != nil { // no use is left
		t.Error(err)
	}
	for _, s := range []*stream{nil, {}} {
		_, err = EnterStream(&u, "qp", s)
		wants(t, err, syscall.EINVAL, "make one with method Stream of a handle")
	}
	_, err = EnterStream(&u, "qp", new(foreign))
	wants(t, err, syscall.EINVAL, "does not offer it")
}

func TestSupported(t *testing.T) {
	u := Uses{Verb: "verb"}
	for _, tt := range []struct {
		x    any
		err  error
		want error
	}{{true, nil, nil}, {new(int), nil, nil}, {false, nil, syscall.EOPNOTSUPP}, {false, errMake, errMake}, {nil, errMake, errMake}} {
		if err := u.Supported(tt.x, tt.err); !errors.Is(err, tt.want) {
			t.Errorf("%v, %v: %v", tt.x, tt.err, err)
		}
	}
}
