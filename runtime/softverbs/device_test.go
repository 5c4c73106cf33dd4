//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

func TestDeviceList(t *testing.T) {
	dev := softverbs.New(softverbs.Name("left"), softverbs.GUID(0x0102030405060708), softverbs.AnotherDevice("right", softverbs.Ports(2)))
	lib := harness.Load(dev.Symbol)
	list, devs, err := lib.DeviceList()
	if err != nil || len(devs) != 2 {
		t.Fatalf("%d devices, %v", len(devs), err)
	}
	for i, want := range []string{"left", "right"} {
		if name := lib.DeviceName(devs[i]); name != want || lib.DeviceIndex(devs[i]) != i {
			t.Errorf("device %d: %q, index %d", i, name, lib.DeviceIndex(devs[i]))
		}
	}
	if g := lib.DeviceGUID(devs[0]); g != 0x0807060504030201 { // network order
		t.Errorf("guid 0x%x", g)
	}
	if err := dev.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("close with a list in use: %v", err)
	}
	lib.FreeDeviceList(list)
	if err := dev.Close(); err != nil {
		t.Error(err)
	}
	if err := dev.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
	if dev.Symbol("ibv_open_device", "") != 0 {
		t.Error("a closed device has symbols")
	}
}

// The bindings refuse objects of another device, so that no suite has the device do it.
func TestContextsAreIndependent(t *testing.T) {
	b := open(t)
	other := b.openDevice(0)
	pd := b.must(b.lib.AllocPD(other))
	_, err := b.lib.Import("ibv_import_pd", b.ctx, 5)
	b.want(syscall.ENOENT, err)
	dm, ch := b.must(b.lib.AllocDM(other, 64, 0, 0)), b.must(b.lib.CreateChannel(other))
	_, err = b.lib.RegDMMR(b.pd, dm, 0, 64, zeroBased)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.CreateCQ(b.ctx, 4, 0, ch, 0)
	b.want(syscall.EINVAL, err)
	cq, foreign := b.must(b.lib.CreateCQ(b.ctx, 4, 0, nil, 0)), b.must(b.lib.CreateCQ(other, 4, 0, ch, 0))
	_, _, err = b.lib.CreateQP(b.pd, harness.QPInit{SendCQ: cq, RecvCQ: foreign, Type: rc})
	b.want(syscall.EINVAL, err)
	b.ok(b.lib.End("ibv_destroy_cq", foreign))
	b.ok(b.lib.End("ibv_destroy_cq", cq))
	b.ok(b.lib.End("ibv_destroy_comp_channel", ch))
	b.ok(b.lib.FreeDM(other, dm))
	b.ok(b.lib.End("ibv_dealloc_pd", pd))
	b.lib.CloseDevice(other)
}

func TestImportDeviceRefusesOtherDescriptors(t *testing.T) {
	b := open(t)
	other := open(t)
	r, w, err := os.Pipe()
	b.ok(err)
	defer r.Close()
	defer w.Close()
	for _, fd := range []int{-1, int(r.Fd()), harness.CmdFD(other.ctx)} {
		_, err := b.lib.ImportDevice(fd)
		b.want(syscall.EINVAL, err)
	}
}

func TestCloseDeviceLeavesLeaksToBeNamed(t *testing.T) {
	dev := softverbs.New(softverbs.MaxDMSize(256))
	defer dev.Close()
	b := &bench{T: t, dev: dev, lib: harness.Load(dev.Symbol)}
	b.ctx = b.openDevice(0)
	b.pd = b.must(b.lib.AllocPD(b.ctx))
	addr, _ := rw(t, pageSize)
	rkey := harness.ReadMR(b.must(b.lib.RegMR(b.pd, addr, 64, localWrite|remoteWrite))).RKey
	b.allocDM(256)
	b.must(b.lib.AllocTD(b.ctx, 0))
	if open := dev.Leaks(); len(open) != 5 {
		t.Errorf("open: %q", open)
	}
	if err := dev.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "soft0: DM (handle 2, length 256): still open") {
		t.Errorf("close of the library: %v", err)
	}
	if rc := b.lib.CloseDevice(b.ctx); rc != 0 {
		t.Errorf("close_device: %d", rc)
	}
	if s, _ := dev.Peer().Write(rkey, uint64(addr), []byte("x")); s != softverbs.StatusRemAccess {
		t.Errorf("a key outlived its context: %v", s)
	}
	all := strings.Join(dev.Leaks(), "\n")
	for _, want := range []string{
		"PD (handle 0): left", "MR (handle 1, ", "length 64): left behind", "thread domain: left", "DM (handle 2, length 256): left",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if rc := b.lib.CloseDevice(b.ctx); rc == 0 {
		t.Error("second close_device: success")
	}
	b.ctx = b.openDevice(0)
	b.ok(b.lib.FreeDM(b.ctx, b.allocDM(256))) // the device memory is there again
	b.lib.CloseDevice(b.ctx)
}

func TestQueryDevice(t *testing.T) {
	b := open(t, softverbs.MaxDMSize(12345), softverbs.CapFlags(1<<40|1<<5), softverbs.ODP(3, 0xff, 0, 0),
		softverbs.AtomicCap(2), softverbs.Ports(3), softverbs.MaxMRSize(1<<30))
	c, err := b.lib.QueryDeviceEx(b.ctx, 0, harness.AttrExSize)
	b.ok(err)
	want := harness.Caps{
		MaxMRSize: 1 << 30, CapFlags: 1 << 5, CapFlagsEx: 1<<40 | 1<<5, MaxDMSize: 12345, ODPGeneral: 3, RCODP: 0xff, AtomicCap: 2, Ports: 3,
	}
	if c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
	if _, err = b.lib.QueryDeviceEx(b.ctx, 0, harness.AttrExSize+64); err != nil {
		t.Errorf("a longer struct of a newer release: %v", err)
	}
	if _, err = b.lib.QueryDeviceEx(b.ctx, 0, harness.AttrExSize-8); err != nil {
		t.Errorf("a shorter struct of an older release: %v", err)
	}
	_, err = b.lib.QueryDeviceEx(b.ctx, 1, harness.AttrExSize)
	b.want(syscall.EINVAL, err)
	_, err = b.lib.QueryDeviceEx(b.ctx, 0, 100)
	b.want(syscall.EINVAL, err)
	if size, err := b.lib.QueryDevice(b.ctx); err != nil || size != 1<<30 {
		t.Errorf("query_device: %d, %v", size, err)
	}
}

func TestQueryPort(t *testing.T) {
	b := open(t, softverbs.Ports(2))
	const active = 4
	got, err := b.lib.QueryPort(b.ctx, 2, 0, 0xee)
	if b.ok(err); got[0] != active {
		t.Errorf("state %d", got[0])
	}
	for i := 52; i < 64; i++ {
		if got[i] != 0xee {
			t.Errorf("the exported function wrote byte %d", i)
		}
	}
	got, err = b.lib.QueryPort(b.ctx, 1, 60, 0xee)
	if b.ok(err); got[0] != active || got[59] != 0 || got[60] != 0xee {
		t.Errorf("the op filled % x", got)
	}
	for _, port := range []uint8{0, 3} {
		_, err = b.lib.QueryPort(b.ctx, port, 0, 0)
		b.want(syscall.EINVAL, err)
		_, err = b.lib.QueryPort(b.ctx, port, 56, 0)
		b.want(syscall.EINVAL, err)
	}
}
