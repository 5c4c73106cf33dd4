//go:build linux

package cases

import (
	"fmt"
	"reflect"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func mirror() []suite.Case {
	return []suite.Case{
		of("CF-mir-0001", "device attributes are what C reads", "ibv_query_device_ex",
			func(t *suite.T) { sameDevice(t, t.Device(), without(t)) }),
		of("CF-mir-0002", "port attributes are what C reads", "ibv_query_port", func(t *suite.T) { samePort(t, t.Device(), without(t)) }),
		of("CF-mir-0003", "device attributes, each with a value of its own", "ibv_query_device_ex", func(t *suite.T) {
			dev, c := patterned(t, softverbs.Override("query_device_ex", direct.PatternDevice()))
			sameDevice(t, dev, c)
		}, suite.Inject),
		of("CF-mir-0004", "port attributes, each with a value of its own", "ibv_query_port", func(t *suite.T) {
			dev, c := patterned(t, softverbs.Override("query_port", direct.PatternPort()))
			samePort(t, dev, c)
		}, suite.Inject),
	}
}

func sameDevice(t *suite.T, dev *verbs.Device, c *direct.Context) {
	theirs, e := c.Device()
	compare(t, dev, theirs, e, must(dev.QueryDeviceEx())(t))
}

func samePort(t *suite.T, dev *verbs.Device, c *direct.Context) {
	theirs, e := c.Port(1)
	compare(t, dev, theirs, e, must(dev.QueryPort(1))(t))
}

// patterned opens another software device, with the bindings and without them.
func patterned(t *suite.T, opts ...softverbs.Option) (*verbs.Device, *direct.Context) {
	soft := ends(t, "the other software device", softverbs.New(opts...))
	lib := must(verbs.LoadFrom(soft))(t)
	dev := must(lib.OpenDevice("soft0"))(t)
	finally(t, "the device", dev.CloseAll)
	return dev, ends(t, "the context", must(direct.Open(soft, "soft0"))(t))
}

// compare holds the numbers of a device's record against the fields of the struct, which come in the same order. e is C's errno.
func compare(t *suite.T, dev *verbs.Device, theirs []direct.Field, e syscall.Errno, record any) {
	if e != 0 && dev == t.Device() {
		t.Lack(suite.QueryEx, e)
	} else if e != 0 {
		t.Fatalf("C: %v", e)
	}
	ours := numbers("", reflect.ValueOf(record).Elem())
	if len(ours) != len(theirs) {
		t.Fatalf("%d numbers in %T, %d in C; the list in C is to follow the record", len(ours), record, len(theirs))
	}
	wrong := 0
	for i := range ours {
		if ours[i].Value != theirs[i].Value {
			if wrong++; wrong <= 5 {
				t.Errorf("%s is %#x, C reads %#x in %s", ours[i].Name, ours[i].Value, theirs[i].Value, theirs[i].Name)
			}
		}
	}
	if wrong > 5 {
		t.Errorf("%d fields differ in all", wrong)
	}
}

// numbers flattens a record; texts are left out.
func numbers(prefix string, v reflect.Value) []direct.Field {
	var out []direct.Field
	for i := range v.NumField() {
		name, f := prefix+v.Type().Field(i).Name, v.Field(i)
		switch {
		case f.Kind() == reflect.Struct:
			out = append(out, numbers(name+".", f)...)
		case f.CanInt():
			out = append(out, direct.Field{Name: name, Value: uint64(f.Int())})
		case f.CanUint():
			out = append(out, direct.Field{Name: name, Value: f.Uint()})
		case f.Kind() != reflect.String:
			out = append(out, direct.Field{Name: fmt.Sprintf("%s, a %s", name, f.Kind())})
		}
	}
	return out
}
