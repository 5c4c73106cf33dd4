//go:build linux && cgo

package device

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

const (
	page = 4096
	rw   = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteWrite | verbs.MRAccessRemoteRead
)

// kernelRegion returns what the kernel reports of a memory region; empty if the tool for that is not installed.
func kernelRegion(t *testing.T, device string, mr *verbs.MR) string {
	t.Helper()
	out, err := exec.Command("rdma", "-dd", "resource", "show", "mr", "dev", device).CombinedOutput()
	if err != nil {
		t.Logf("regions are not looked up: rdma resource show: %v\n%s", err, out)
		return ""
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, fmt.Sprintf(" rkey 0x%x lkey 0x%x ", mr.RKey(), mr.LKey())) {
			return line
		}
	}
	t.Errorf("the kernel has no region with rkey 0x%x and lkey 0x%x:\n%s", mr.RKey(), mr.LKey(), out)
	return ""
}

// TestRegister registers memory in every form that host memory has.
func TestRegister(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(mem.New(3 * page))(t)
	slice := make([]byte, page+100)
	middle := buf.Addr() + page
	inSlice := uint64(addressOf(slice)) % page
	for _, c := range []struct {
		name   string
		length uint64
		reg    func() (*verbs.MR, error)
	}{
		{"slice", page + 100, func() (*verbs.MR, error) { return pd.RegMR(slice, rw) }},
		{"one byte", 1, func() (*verbs.MR, error) { return pd.RegMR(slice[7:8], rw) }},
		{"buffer", 3 * page, func() (*verbs.MR, error) { return pd.RegMRFrom(buf, rw) }},
		{"address", page, func() (*verbs.MR, error) { return pd.RegMRFrom(mem.Addr(middle, page), rw) }},
		{"odd address", 5, func() (*verbs.MR, error) { return pd.RegMRFrom(mem.Addr(middle+3, 5), rw) }},
		{"no access", page, func() (*verbs.MR, error) { return pd.RegMRFrom(mem.Addr(middle, page), 0) }},
		{"optional flag", page, func() (*verbs.MR, error) {
			return pd.RegMRFrom(mem.Addr(middle, page), rw|verbs.MRAccessRelaxedOrdering)
		}},
		{"windows", page, func() (*verbs.MR, error) { return pd.RegMRFrom(mem.Addr(middle, page), rw|verbs.MRAccessMWBind) }},
		{"slice, iova", page + 100, func() (*verbs.MR, error) { return pd.RegMRIOVA(slice, 0x7000000+inSlice, rw) }},
		{"buffer, iova", 3 * page, func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(buf, 0x10000, rw) }},
		{"address, iova", page, func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(mem.Addr(middle+8, page), 0x10008, rw) }},
		{"zero-based", page, func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(mem.Addr(middle, page), 0, rw) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			mr := must(c.reg())(t)
			if mr.Length() != c.length || mr.PD() != pd || mr.Device() != b.dev || mr.LKey() == 0 {
				t.Errorf("length %d, lkey 0x%x", mr.Length(), mr.LKey())
			}
			if line := kernelRegion(t, b.name, mr); line != "" && !strings.Contains(line, fmt.Sprintf(" mrlen %d ", c.length)) {
				t.Errorf("the kernel has %s", line)
			}
			if err := mr.Close(); err != nil {
				t.Fatal(err)
			}
			if err := mr.Close(); !errors.Is(err, os.ErrClosed) {
				t.Errorf("second Close: %v", err)
			}
		})
	}
	if err := buf.Close(); err != nil {
		t.Errorf("the buffer is still held: %v", err)
	}
}

func addressOf(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// TestRegisterEx registers in the newest form; an older library is told apart from a refusal.
func TestRegisterEx(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(mem.New(page))(t)
	defer buf.Close()
	mr, err := pd.RegMREx(verbs.NewMRInitAttr(page, rw).Memory(mem.Addr(buf.Addr(), page)).IOVA(0x10000))
	if errors.Is(err, errors.ErrUnsupported) && strings.Contains(err.Error(), "has no symbol ibv_reg_mr_ex") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if mr.Length() != page {
		t.Errorf("length %d", mr.Length())
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
}

// TestHugePages registers a buffer of huge pages.
func TestHugePages(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf, err := mem.New(2<<20, mem.HugePages(0))
	if err != nil {
		t.Skipf("no huge pages: %v", err)
	}
	mr := must(pd.RegMRFrom(buf, rw))(t)
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close of a registered buffer: %v", err)
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	if err := buf.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusedByKernel makes calls that the rules allow and the kernel refuses: memory that is not there, or not writable.
func TestRefusedByKernel(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	before := resources(t, b.name)
	none := must(syscall.Mmap(-1, 0, page, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON))(t)
	readOnly := must(syscall.Mmap(-1, 0, page, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON))(t)
	defer func() {
		if err := errors.Join(syscall.Munmap(readOnly), syscall.Munmap(none)); err != nil {
			t.Error(err)
		}
	}()
	for name, call := range map[string]func() error{
		"memory without access": func() error { _, err := pd.RegMRFrom(mem.Addr(addressOf(none), page), rw); return err },
		"NULL":                  func() error { _, err := pd.RegMRFrom(mem.Addr(0, page), 0); return err },
		"read-only memory for writing": func() error {
			_, err := pd.RegMRFrom(mem.Addr(addressOf(readOnly), page), verbs.MRAccessLocalWrite)
			return err
		},
	} {
		if err := call(); !errors.Is(err, syscall.EFAULT) || refusal(err) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pd.RegMRFrom(mem.Addr(addressOf(readOnly), page), verbs.MRAccessRemoteRead); err != nil {
		t.Errorf("read-only memory for reading: %v", err)
	} else if now := resources(t, b.name); before != "" && now == before {
		t.Error("the kernel counts no region")
	}
}

// TestRereg changes regions in place: what rxe can do, and what it cannot.
func TestRereg(t *testing.T) {
	b := open(t)
	pd, other := must(b.dev.AllocPD())(t), must(b.dev.AllocPD())(t)
	buf, next := must(mem.New(page))(t), must(mem.New(2*page))(t)
	mr := must(pd.RegMRFrom(buf, rw))(t)
	for _, c := range []struct {
		name   string
		change *verbs.MRChange
		done   func() error
	}{
		{"protection domain", new(verbs.MRChange).PD(other), func() error {
			if mr.PD() != other {
				return errors.New("it is in the old one")
			}
			return pd.Close()
		}},
		{"access", new(verbs.MRChange).Access(verbs.MRAccessLocalWrite), func() error { return nil }},
		{"memory", new(verbs.MRChange).Memory(next), func() error {
			if mr.Length() != 2*page {
				return fmt.Errorf("length %d", mr.Length())
			}
			return buf.Close()
		}},
	} {
		err := mr.Rereg(c.change)
		switch {
		case err == nil:
			if err := c.done(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		case refusal(err) != nil || !errors.Is(err, errors.ErrUnsupported):
			t.Errorf("%s: %v", c.name, err)
		}
		t.Logf("%s: %v", c.name, err)
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	for _, b := range []*mem.Buffer{buf, next} {
		if err := b.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("the buffer is still held: %v", err)
		}
	}
}

// TestOnDemand pages memory in on demand and ahead of use, where the device can.
func TestOnDemand(t *testing.T) {
	b := open(t)
	pd := must(b.dev.AllocPD())(t)
	buf := must(mem.New(4 * page))(t)
	defer buf.Close()
	attr := must(b.dev.QueryDeviceEx())(t)
	if attr.ODPCaps.General&verbs.ODPCapSupported == 0 {
		_, err := pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand)
		if got := refusal(err); len(got) != 1 || got[0] != "VR-ibv_reg_mr-access-0016" {
			t.Errorf("a device without on-demand paging: %v", err)
		}
		t.Skip("the device has no on-demand paging, and is refused it")
	}
	mr := must(pd.RegMRFrom(buf, rw|verbs.MRAccessOnDemand))(t)
	ranges := []verbs.SGE{{Addr: uint64(buf.Addr()), Length: 2 * page, LKey: mr.LKey()}}
	for _, advice := range []verbs.AdviseMRAdvice{verbs.AdviseMRAdvicePrefetch, verbs.AdviseMRAdvicePrefetchWrite,
		verbs.AdviseMRAdvicePrefetchNoFault} {
		for _, flags := range []verbs.AdviseMRFlags{0, verbs.AdviseMRFlagsFlush} {
			err := pd.AdviseMR(advice, flags, ranges)
			if errors.Is(err, errors.ErrUnsupported) {
				t.Logf("%v, %v: the provider of this library has no advice: %v", advice, flags, err)
			} else if err != nil {
				t.Errorf("%v, %v: %v", advice, flags, err)
			}
		}
	}
	if err := mr.Close(); err != nil {
		t.Error(err)
	}
	if attr.ODPCaps.General&verbs.ODPCapImplicit == 0 {
		_, err := pd.RegMRImplicitODP(rw)
		if got := refusal(err); len(got) != 1 || got[0] != "VR-ibv_reg_mr-length-0017" {
			t.Errorf("an implicit region on a device without: %v", err)
		}
	}
}
