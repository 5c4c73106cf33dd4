//go:build linux && cgo

package cases

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/direct"
	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func device() []suite.Case {
	return []suite.Case{
		of("CF-dev-0001", "the list has the device, with what the kernel shows of it", "ibv_get_device_list", deviceList).Ruled(
			"VR-ibv_free_device_list-list-0159"),
		of("CF-dev-0002", "opened twice, two command channels; closed, none", "ibv_open_device", openTwice).Ruled(
			"VR-ibv_open_device-device-0155"),
		of("CF-dev-0003", "a device that is not there: the error names those that are", "ibv_open_device", openAbsent),
		of("CF-dev-0004", "the plain query and the extended one agree", "ibv_query_device", queriesAgree).Ruled(
			"VR-ibv_query_device-device_attr-0164"),
		of("CF-dev-0005", "the attributes are possible ones", "ibv_query_device_ex", possibleAttributes),
		of("CF-dev-0006", "every port is told of", "ibv_query_port", everyPort).Ruled(
			"VR-ibv_query_port-port_num-0170", "VR-ibv_query_port-port_num-0171"),
		of("CF-dev-0007", "a context over a duplicate of another's channel", "ibv_import_device", importContext, suite.Import).Ruled(
			"VR-ibv_import_device-cmd_fd-0158"),
		of("CF-dev-0008", "a nil or zero device is an error", "ibv_open_device", noDevice),
	}
}

func deviceList(t *suite.T) {
	list := must(t.Lib().Devices())(t)
	at := slices.IndexFunc(list, func(d verbs.DeviceEntry) bool { return d.Name == t.Name() })
	if at < 0 {
		t.Fatalf("%s is not in the list", t.Name())
	}
	guid := func(v uint64) string { return fmt.Sprintf("%016x", v) }
	d := list[at]
	is(t, "the GUID in the list", guid(d.GUID), guid(must(t.Device().QueryDevice())(t).NodeGUID))
	want := "0223450001abcdef"
	if t.Soft() == nil {
		text := must(os.ReadFile(sysfs.Path("class/infiniband", d.Name, "node_guid")))(t)
		want = strings.ReplaceAll(strings.TrimSpace(string(text)), ":", "")
	}
	is(t, "the GUID, compared with the kernel's", guid(d.GUID), want)
}

func openTwice(t *suite.T) {
	first, second := t.Device(), t.Open()
	if first.CmdFD() == second.CmdFD() || first.NumCompVectors() < 1 {
		t.Errorf("command channels %d and %d, %d completion vectors", first.CmdFD(), second.CmdFD(), first.NumCompVectors())
	}
	fd := second.CmdFD()
	is(t, "the command channel", errorOf(unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)), nil)
	t.OK("Close", second.Close())
	fails(t, "the command channel after Close", errorOf(unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)), syscall.EBADF)
	fails(t, "second Close", second.Close(), os.ErrClosed)
	fails(t, "AllocPD after Close", errorOf(second.AllocPD()), os.ErrClosed)
	is(t, "the other context", errorOf(first.QueryDevice()), nil)
}

func openAbsent(t *suite.T) {
	failsNaming(t, "opening it", errorOf(t.Lib().OpenDevice("no_such_device")), t.Name(), syscall.ENODEV)
}

func queriesAgree(t *suite.T) {
	is(t, "the plain query, compared with the extended one", *must(t.Device().QueryDevice())(t), must(t.Device().QueryDeviceEx())(t).OrigAttr)
}

func possibleAttributes(t *suite.T) {
	ex := must(t.Device().QueryDeviceEx())(t)
	a := ex.OrigAttr
	for name, v := range map[string]uint64{"max_mr_size": a.MaxMRSize, "page_size_cap": a.PageSizeCap, "max_mr": uint64(a.MaxMR),
		"max_pd": uint64(a.MaxPD), "phys_port_cnt": uint64(a.PhysPortCnt), "max_pkeys": uint64(a.MaxPKeys)} {
		if v == 0 {
			t.Errorf("%s is 0", name)
		}
	}
	if a.PageSizeCap&page == 0 {
		t.Errorf("page_size_cap %#x has no pages of %d", a.PageSizeCap, page)
	}
	if n := ex.PhysPortCntEx; n != 0 && n != uint32(a.PhysPortCnt) && a.PhysPortCnt != 255 {
		t.Errorf("%d ports, or %d", a.PhysPortCnt, n)
	}
	if a.AtomicCap > verbs.AtomicCapGlob {
		t.Errorf("atomic_cap %v", a.AtomicCap)
	}
	if ex.ODPCaps.General == 0 && (ex.ODPCaps.RC|ex.ODPCaps.UC|ex.ODPCaps.UD) != 0 {
		t.Errorf("on-demand operations without on-demand paging: %+v", ex.ODPCaps)
	}
}

func everyPort(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t)
	lib := without(t)
	for n := range attr.OrigAttr.PhysPortCnt {
		p := must(t.Device().QueryPort(n + 1))(t)
		if p.State > verbs.PortStateActiveDefer || p.ActiveMTU > p.MaxMTU || p.MaxMTU < verbs.MTU256 || p.GIDTblLen < 1 || p.MaxMsgSz == 0 {
			t.Errorf("port %d: %+v", n+1, *p)
		}
	}
	for _, bad := range []struct {
		port uint8
		rule string
	}{{0, "VR-ibv_query_port-port_num-0170"}, {attr.OrigAttr.PhysPortCnt + 1, "VR-ibv_query_port-port_num-0171"}} {
		refusedBy(t, bad.rule, errorOf(t.Device().QueryPort(bad.port)))
		if _, e := lib.Port(bad.port); e != syscall.EINVAL {
			t.Errorf("port %d: the rules refuse it, the library answers %v", bad.port, e)
		}
	}
}

// refusedBy checks that a call was refused by a rule. Which other rules it broke depends on what the device can do.
func refusedBy(t *suite.T, rule string, err error) {
	if got := suite.Refused(err); slices.Contains(got, rule) {
		t.Note(rule[len("VR-"):], "refused by rule "+rule)
	} else {
		t.Saw(rule[len("VR-"):], err)
		t.Errorf("refused by %v, want %s: %v", got, rule, err)
	}
}

// refusesToo checks what a call without the bindings answered that a rule refuses.
func refusesToo(t *suite.T, rule string, e syscall.Errno) {
	if e == 0 {
		t.Errorf("rule %s refuses it, library and kernel accept it", rule)
	}
}

// bare notes what a call without the bindings answered, and checks that it is one of some errnos.
func bare(t *suite.T, what string, e syscall.Errno, set ...syscall.Errno) {
	t.Note(what, suite.AnswerErrno(e))
	if !slices.Contains(set, e) {
		t.Errorf("%s, without the bindings: %v, want one of %v", what, e, set)
	}
}

// importer opens a context over the command channel of the device's.
func importer(t *suite.T) *verbs.Device {
	other := must(t.Lib().ImportDevice(t.Device().CmdFD()))(t)
	t.Finally("the importer", other.CloseAll)
	return other
}

func importContext(t *suite.T) {
	other := importer(t)
	is(t, "what the importer says", *must(other.QueryDevice())(t), *must(t.Device().QueryDevice())(t))
	t.OK("Close of the importer", other.Close())
	is(t, "the first context after that", errorOf(t.Device().AllocPD()), nil)
	const rule = "VR-ibv_import_device-cmd_fd-0158"
	refusedBy(t, rule, errorOf(t.Lib().ImportDevice(-1)))
	refusesToo(t, rule, without(t).ImportDevice(-1))
}

func noDevice(t *suite.T) {
	for name, dev := range map[string]*verbs.Device{"nil": nil, "zero": new(verbs.Device)} {
		if _, err := dev.AllocPD(); err == nil || !strings.HasPrefix(err.Error(), "ibv_alloc_pd: ") {
			t.Errorf("%s device: %v", name, err)
		}
		if _, err := dev.QueryDeviceEx(); err == nil {
			t.Errorf("%s device answers a query", name)
		}
	}
}

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
	t.Finally("the device", dev.CloseAll)
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
