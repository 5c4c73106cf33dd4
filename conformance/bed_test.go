//go:build linux

package conformance

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// bed is an open software device.
type bed struct {
	soft *softverbs.Device
	lib  *verbs.Lib
	dev  *verbs.Device
}

// open returns a software device that is closed, with all that was made from it, at the end of the test.
func open(t testing.TB, opts ...softverbs.Option) *bed {
	t.Helper()
	return openWithout(t, append([]softverbs.Option{softverbs.NetRaw()}, opts...)...)
}

// openWithout is open for a process without rights.
func openWithout(t testing.TB, opts ...softverbs.Option) *bed {
	t.Helper()
	soft := softverbs.New(append([]softverbs.Option{softverbs.Name("soft0")}, opts...)...)
	t.Cleanup(func() { soft.Close() })
	lib := must(verbs.LoadFrom(soft))(t)
	dev := must(lib.OpenDevice("soft0"))(t)
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return &bed{soft, lib, dev}
}

const rw = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead

// must fails the test on an error.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// errorOf returns the error of a call.
func errorOf[T any](_ T, err error) error { return err }

// isRefusal reports whether the rules refused a call, rather than the library.
func isRefusal(err error) bool {
	var e *verr.Error
	return errors.As(err, &e) && e.Refused
}

// memory is Go memory that a region covers and that nothing else refers to: whether it was freed shows whether it is pinned.
// Bytes that still arrive would show nothing, since freed memory stays mapped.
type memory = weak.Pointer[byte]

// give passes new memory to use and keeps no reference to it.
//
//go:noinline
func give(use func(b []byte)) memory {
	b := make([]byte, 1<<16)
	use(b)
	return weak.Make(&b[0])
}

func freed(m memory) bool {
	for range 3 { // a collection may have begun while the memory was still referred to
		runtime.GC()
	}
	return m.Value() == nil
}

// pair returns two connected sides on one device.
func pair(t *testing.T, dev *verbs.Device) (a, b *link.End) {
	return link.Default().Connected(t, dev, dev)
}

// importer opens a second context over the command channel of the first.
func importer(t *testing.T, b *bed) *verbs.Device {
	t.Helper()
	other := must(b.lib.ImportDevice(b.dev.CmdFD()))(t)
	t.Cleanup(func() {
		if err := other.CloseAll(); err != nil {
			t.Errorf("closing the importer: %v", err)
		}
	})
	return other
}

// standard are the fields that every device with extended queues can be asked for.
const standard = verbs.WCFieldByteLen | verbs.WCFieldImm | verbs.WCFieldQPNum | verbs.WCFieldSrcQP | verbs.WCFieldSLID |
	verbs.WCFieldSL | verbs.WCFieldDLIDPathBits

// extended returns two connected sides whose queues were asked for fields.
func extended(t *testing.T, dev *verbs.Device, fields verbs.WCField) (a, b *link.End) {
	c := link.Default()
	c.Fields = fields
	return c.Connected(t, dev, dev)
}
