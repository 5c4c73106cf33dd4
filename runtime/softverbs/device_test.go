//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"net/netip"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func TestDeviceList(t *testing.T) {
	soft := softverbs.New(softverbs.Name("left"), softverbs.GUID(0x0102030405060708), softverbs.AnotherDevice("right", softverbs.Ports(2)))
	lib := must(verbs.LoadFrom(soft))(t)
	list := must(lib.Devices())(t)
	if len(list) != 2 || list[0].Name != "left" || list[1].Name != "right" || list[1].Index != 1 || list[0].GUID != 0x0102030405060708 {
		t.Errorf("%+v", list)
	}
	dev := must(lib.OpenDevice("right"))(t)
	if err := soft.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("close with an open context: %v", err)
	}
	if err := errors.Join(dev.Close(), soft.Close()); err != nil {
		t.Error(err)
	}
	if err := soft.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
	if soft.Symbol("ibv_open_device", "") != 0 {
		t.Error("a closed device has symbols")
	}
}

func TestImportDeviceRefusesOtherDescriptors(t *testing.T) {
	b, other := open(t), open(t)
	var pipe [2]int
	b.ok(unix.Pipe(pipe[:]))
	for _, fd := range []int{-1, pipe[0], other.dev.CmdFD()} {
		_, err := b.dev.Lib().ImportDevice(fd)
		b.want(syscall.EINVAL, err)
	}
	b.ok(errors.Join(unix.Close(pipe[0]), unix.Close(pipe[1])))
}

func TestQueryDevice(t *testing.T) {
	b := open(t, softverbs.MaxDMSize(12345), softverbs.CapFlags(1<<40|1<<5), softverbs.ODP(3, 0xff, 0, 0),
		softverbs.AtomicCap(2), softverbs.Ports(3), softverbs.MaxMRSize(1<<30))
	a := must(b.dev.QueryDeviceEx())(t)
	if a.MaxDMSize != 12345 || a.DeviceCapFlagsEx != 1<<40|1<<5 || a.OrigAttr.DeviceCapFlags != 1<<5 || a.ODPCaps.General != 3 ||
		a.ODPCaps.RC != 0xff || a.OrigAttr.AtomicCap != 2 || a.OrigAttr.PhysPortCnt != 3 || a.OrigAttr.MaxMRSize != 1<<30 {
		t.Errorf("%+v", a)
	}
}

func TestAddressHandleVerdicts(t *testing.T) {
	b := open(t)
	good := verbs.AHAttr{DGID: must(b.dev.QueryGID(1, 0))(t), HopLimit: 1, PortNum: 1, IsGlobal: true}
	to := func(addr string) func(*verbs.AHAttr) {
		return func(a *verbs.AHAttr) { a.DGID = netip.MustParseAddr(addr).As16() }
	}
	for _, c := range []struct {
		what   string
		change func(*verbs.AHAttr)
		want   syscall.Errno
	}{
		{"as it should be", func(*verbs.AHAttr) {}, 0},
		{"empty GID entry", func(a *verbs.AHAttr) { a.SGIDIndex = 2 }, syscall.ENODATA},
		{"last GID index", func(a *verbs.AHAttr) { a.SGIDIndex = 255 }, syscall.ENODATA},
		{"IPv4 address of nobody", func(a *verbs.AHAttr) { a.SGIDIndex = 1; to("::ffff:10.9.9.9")(a) }, syscall.ETIMEDOUT},
		{"IPv4 address from a link-local one", to("::ffff:10.0.0.1"), syscall.EINVAL},
		{"link-local address from an IPv4 one", func(a *verbs.AHAttr) { a.SGIDIndex = 1 }, syscall.EINVAL},
		{"link-local address of nobody", func(a *verbs.AHAttr) { a.DGID[15]++ }, syscall.ETIMEDOUT},
		{"address that no route leads to", to("2001::1"), syscall.ENETUNREACH},
		{"no address", to("::"), syscall.ENETUNREACH},
		{"address of many", to("ff02::1"), 0},
	} {
		a := good
		c.change(&a)
		_, err := b.pd.CreateAH(a)
		t.Log(c.what)
		b.want(c.want, err)
	}
}

func TestPortDownAndUp(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{})
	next := func(want verbs.EventType) {
		t.Helper()
		ev := must(x.dev.NextEvent(t.Context()))(t)
		if ev.Done(); ev.Type != want || ev.Port != 1 {
			t.Errorf("event %v of port %d", ev.Type, ev.Port)
		}
	}
	b.ok(b.soft.SetPort("soft0", 1, false))
	b.ok(b.soft.SetPort("soft0", 1, false)) // no change, no event
	next(verbs.EventTypePortErr)
	if port := must(x.dev.QueryPort(1))(t); port.State != verbs.PortStateDown {
		t.Errorf("state %v", port.State)
	}
	x.write(1, y)
	x.write(2, y)
	b.statuses(x.scq, verbs.WCStatusLocQPOpErr, verbs.WCStatusWRFlushErr)
	y.write(1, x) // to a port that is down
	b.statuses(y.scq, verbs.WCStatusRetryExcErr)
	b.ok(b.soft.SetPort("soft0", 1, true))
	next(verbs.EventTypePortActive)
	b.want(syscall.EINVAL, b.soft.SetPort("soft0", 2, true))
	b.want(syscall.ENODEV, b.soft.SetPort("soft7", 1, true))
}
