//go:build linux

package conformance

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestLoadReal loads the machine's own libibverbs through the same code as every test.
func TestLoadReal(t *testing.T) {
	lib, err := verbs.Load()
	if errors.Is(err, fs.ErrNotExist) {
		if os.Getenv("VERBS_REQUIRE_LIBRARY") != "" {
			t.Fatal(err)
		}
		t.Skipf("no libibverbs on this machine: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if again := must(verbs.Load())(t); again == nil {
		t.Error("a second Load gives nothing")
	}
	devices, err := lib.Devices()
	if _, none := os.Stat(sysfs.Path("class/infiniband_verbs")); none != nil {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "kernel has no RDMA") {
			t.Errorf("without RDMA in the kernel Devices = %v, %v", devices, err)
		}
		if _, err := lib.OpenDevice("mlx5_0"); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("OpenDevice: %v", err)
		}
		return
	}
	if err != nil {
		t.Errorf("Devices: %v", err)
	}
}

// TestLoadWrong gives Load what is no libibverbs. Each time one error that names the file.
func TestLoadWrong(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("not ELF"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "absent.so"), text, dir} {
		if _, err := verbs.Load(verbs.Path(path)); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("Load(%s): %v", path, err)
		}
	}
	if _, err := verbs.LoadFrom(nil); err == nil {
		t.Error("LoadFrom(nil) is accepted")
	}
}

// TestDeviceList lists devices of software, none at all, and looks for one that is not there.
func TestDeviceList(t *testing.T) {
	soft := softverbs.New(softverbs.Name("a0"), softverbs.GUID(0x0123456789abcdef), softverbs.AnotherDevice("b1"))
	defer soft.Close()
	lib := must(verbs.LoadFrom(soft))(t)
	list := must(lib.Devices())(t)
	if len(list) != 2 || list[0].Name != "a0" || list[1].Name != "b1" || list[0].GUID != 0x0123456789abcdef {
		t.Errorf("Devices = %+v", list)
	}
	if _, err := lib.OpenDevice("c2"); err == nil || !strings.Contains(err.Error(), "a0, b1") {
		t.Errorf("OpenDevice of one that is not there: %v", err)
	}
	none := softverbs.New(softverbs.NoDevices())
	defer none.Close()
	if list, err := must(verbs.LoadFrom(none))(t).Devices(); len(list) != 0 || err != nil {
		t.Errorf("an empty list = %v, %v", list, err)
	}
}

// TestOlderLibrary uses libraries that lack what the newest has.
func TestOlderLibrary(t *testing.T) {
	for _, release := range []string{"33.2", "44.0", "56.1"} {
		b := open(t, softverbs.Release(release))
		attr := must(b.dev.QueryDeviceEx())(t)
		if attr.MaxDMSize == 0 {
			t.Errorf("%s: max_dm_size is 0", release)
		}
		port := must(b.dev.QueryPort(1))(t)
		if port.State != verbs.PortStateActive {
			t.Errorf("%s: port state %v", release, port.State)
		}
		pd := must(b.dev.AllocPD())(t)
		must(pd.RegMR(make([]byte, 64), rw|verbs.MRAccessRelaxedOrdering))(t)
		_, err := pd.RegMREx(verbs.NewMRInitAttr(64, 0).Memory(mem.Addr(0x1000, 64)))
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "ibv_reg_mr_ex") || !strings.Contains(err.Error(), "59.0") {
			t.Errorf("%s: a verb that came later: %v", release, err)
		}
	}
}

// TestMissingOp uses a provider that lacks an operation, and a library without the extended queries.
func TestMissingOp(t *testing.T) {
	b := open(t, softverbs.WithoutOp("alloc_dm", "query_device_ex", "query_port"))
	if _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64)); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("AllocDM: %v", err)
	}
	attr := must(b.dev.QueryDeviceEx())(t)
	if attr.OrigAttr.MaxMR == 0 || attr.MaxDMSize != 0 {
		t.Errorf("the plain query in place of the extended one: %+v", attr)
	}
	if port := must(b.dev.QueryPort(1))(t); port.State != verbs.PortStateActive || port.ActiveSpeedEx != 0 {
		t.Errorf("the first release's port query: %+v", port)
	}
	old := open(t, softverbs.WithoutSymbol("ibv_reg_mr_iova2"))
	pd := must(old.dev.AllocPD())(t)
	must(pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessRelaxedOrdering))(t)
}

// TestPartialSource calls verbs of sources that lack the function, which every release has: an error, never a crash.
func TestPartialSource(t *testing.T) {
	type objects struct {
		*bed
		pd      *verbs.PD
		channel *verbs.CompChannel
		cq      *verbs.CQ
		qp      *verbs.QP
		srq     *verbs.SRQ
		mr      *verbs.MR
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for symbol, call := range map[string]func(o *objects) error{
		"ibv_query_device":         func(o *objects) error { _, err := o.dev.QueryDevice(); return err },
		"ibv_query_gid":            func(o *objects) error { _, err := o.dev.QueryGID(1, 0); return err },
		"ibv_query_pkey":           func(o *objects) error { _, err := o.dev.QueryPKey(1, 0); return err },
		"ibv_get_pkey_index":       func(o *objects) error { _, err := o.dev.GetPKeyIndex(1, 0xffff); return err },
		"ibv_alloc_pd":             func(o *objects) error { _, err := o.dev.AllocPD(); return err },
		"ibv_dealloc_pd":           func(o *objects) error { return must(o.dev.AllocPD())(t).Close() },
		"ibv_create_comp_channel":  func(o *objects) error { _, err := o.dev.CreateCompChannel(); return err },
		"ibv_destroy_comp_channel": func(o *objects) error { return must(o.dev.CreateCompChannel())(t).Close() },
		"ibv_create_cq":            func(o *objects) error { _, err := o.dev.CreateCQ(4, nil, 0); return err },
		"ibv_resize_cq":            func(o *objects) error { return o.cq.Resize(8) },
		"ibv_destroy_cq":           func(o *objects) error { return must(o.dev.CreateCQ(4, nil, 0))(t).Close() },
		"ibv_get_cq_event":         func(o *objects) error { _, err := o.channel.Next(ctx); return err },
		"ibv_ack_cq_events":        func(o *objects) error { _, err := o.channel.Next(ctx); return err },
		"ibv_get_async_event":      func(o *objects) error { _, err := o.dev.NextEvent(ctx); return err },
		"ibv_ack_async_event":      func(o *objects) error { _, err := o.dev.NextEvent(ctx); return err },
		"ibv_create_qp": func(o *objects) error {
			_, err := o.pd.CreateQP(verbs.QPInitAttr{SendCQ: o.cq, RecvCQ: o.cq, Type: verbs.QPTypeRC})
			return err
		},
		"ibv_query_qp":                func(o *objects) error { _, _, err := o.qp.Query(0); return err },
		"ibv_modify_qp":               func(o *objects) error { return o.qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)) },
		"ibv_destroy_qp":              func(o *objects) error { return o.qp.Close() },
		"ibv_create_srq":              func(o *objects) error { _, err := o.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1}); return err },
		"ibv_query_srq":               func(o *objects) error { _, err := o.srq.Query(); return err },
		"ibv_destroy_srq":             func(o *objects) error { return o.srq.Close() },
		"ibv_dereg_mr":                func(o *objects) error { return o.mr.Close() },
		"ibv_rereg_mr":                func(o *objects) error { return o.mr.Rereg(new(verbs.MRChange).Access(0)) },
		"ibv_create_ah":               func(o *objects) error { _, err := o.pd.CreateAH(verbs.AHAttr{DLID: 1, PortNum: 1}); return err },
		"ibv_resolve_eth_l2_from_gid": func(o *objects) error { _, _, err := o.dev.ResolveEthL2FromGID(verbs.AHAttr{PortNum: 1}); return err },
		"ibv_close_device":            func(o *objects) error { return must(o.lib.OpenDevice("soft0"))(t).Close() },
	} {
		soft := softverbs.New(softverbs.Name("soft0"), softverbs.WithoutSymbol(symbol))
		lib := must(verbs.LoadFrom(soft))(t)
		o := &objects{bed: &bed{soft, lib, must(lib.OpenDevice("soft0"))(t)}}
		o.pd, _ = o.dev.AllocPD()
		o.channel, _ = o.dev.CreateCompChannel()
		o.cq, _ = o.dev.CreateCQ(4, nil, 0)
		if o.pd != nil && o.cq != nil {
			o.qp, _ = o.pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: o.cq, RecvCQ: o.cq})
			o.srq, _ = o.pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: 1})
			o.mr, _ = o.pd.RegMR(make([]byte, 64), 0)
		}
		if err := call(o); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("without %s: %v", symbol, err)
		}
		soft.Close()
	}
}

// TestBrokenSource loads from sources that lack what nothing works without: an error, never a crash. Nobody
// knows the first release with these symbols, so the error names none.
func TestBrokenSource(t *testing.T) {
	for _, symbol := range []string{"ibv_get_device_list", "ibv_free_device_list", "ibv_open_device"} {
		soft := softverbs.New(softverbs.WithoutSymbol(symbol))
		lib := must(verbs.LoadFrom(soft))(t)
		if _, err := lib.OpenDevice("soft0"); !errors.Is(err, errors.ErrUnsupported) ||
			!strings.Contains(err.Error(), " has no symbol "+symbol+"; load a newer or complete library") {
			t.Errorf("without %s: %v", symbol, err)
		}
		soft.Close()
	}
	wrong := softverbs.New(softverbs.Release("1.0"))
	if _, err := verbs.LoadFrom(wrong); err == nil || err != wrong.Err() {
		t.Errorf("a source that says why it cannot be used: %v", err)
	}
}

// TestQueryRefused has the extended query of a device answer that it is not supported: the plain one follows. Any other error stays.
func TestQueryRefused(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSYS, syscall.EOPNOTSUPP} {
		b := open(t, softverbs.Fail("ibv_query_device_ex", 1, errno))
		if attr := must(b.dev.QueryDeviceEx())(t); attr.OrigAttr.MaxMR == 0 || attr.MaxDMSize != 0 {
			t.Errorf("after %v: %+v", errno, attr)
		}
	}
	b := open(t, softverbs.Fail("ibv_query_device_ex", 1, syscall.EIO))
	if _, err := b.dev.QueryDeviceEx(); !errors.Is(err, syscall.EIO) {
		t.Errorf("after EIO: %v", err)
	}
}
