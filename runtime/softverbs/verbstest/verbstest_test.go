package verbstest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/verbstest"
)

// recorder is a test that is looked at: its errors and its cleanups.
type recorder struct {
	testing.TB
	errs     []string
	cleanups []func()
}

func (r *recorder) Helper()                      {}
func (r *recorder) Errorf(f string, args ...any) { r.errs = append(r.errs, fmt.Sprintf(f, args...)) }
func (r *recorder) Error(args ...any)            { r.errs = append(r.errs, fmt.Sprint(args...)) }
func (r *recorder) Cleanup(f func())             { r.cleanups = append(r.cleanups, f) }

func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func available(t *testing.T) {
	verbstest.New(t)
}

func TestLeakFailsTheTest(t *testing.T) {
	available(t)
	r := &recorder{TB: t}
	soft, dev := verbstest.Open(r, verbs.LoadFrom)
	if _, err := dev.AllocPD(); err != nil {
		t.Fatal(err)
	}
	r.end()
	if all := strings.Join(r.errs, "\n"); !strings.Contains(all, "cannot be closed") || !strings.Contains(all, "left open: soft0: PD") {
		t.Errorf("%s", all)
	}
	if err := dev.CloseAll(); err != nil {
		t.Error(err)
	}
	if err := soft.Close(); err != nil {
		t.Error(err)
	}
}

// TestLints breaks a lint in a call that the device takes, which fails the test unless it is allowed, and one in a call that it refuses.
func TestLints(t *testing.T) {
	available(t)
	const id = "VR-ibv_create_ah-flow_label-0320"
	for _, c := range []struct {
		name    string
		breaks  func(pd *verbs.PD) error
		allow   []string
		want    string
		refused bool
	}{
		{name: "taken", breaks: wideLabel, want: id},
		{name: "another allowed", breaks: wideLabel, allow: []string{"VR-ibv_reg_mr-access-0005"}, want: id},
		{name: "allowed", breaks: wideLabel, allow: []string{id}},
		{name: "refused", breaks: zeroBased, refused: true},
	} {
		r := &recorder{TB: t}
		verbstest.AllowLints(r, c.allow...)
		_, dev := verbstest.Open(r, verbs.LoadFrom)
		pd, err := dev.AllocPD()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.breaks(pd); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
		r.end()
		switch all := strings.Join(r.errs, "\n"); {
		case c.want == "" && all != "":
			t.Errorf("%s: %s", c.name, all)
		case len(r.errs) != 1 && c.want != "" || !strings.Contains(all, c.want):
			t.Errorf("%s: %q", c.name, r.errs)
		}
	}
}

// wideLabel makes an address with a flow label of more than 20 bits.
func wideLabel(pd *verbs.PD) error {
	gid, err := pd.Device().QueryGID(1, 0)
	if err != nil {
		return err
	}
	//verbsgen:ignore VR-ibv_create_ah-flow_label-0320 the test needs a refused call
	_, err = pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: gid, HopLimit: 1, FlowLabel: 1 << 20})
	return err
}

// zeroBased makes a region that this device does not have.
func zeroBased(pd *verbs.PD) error {
	//verbsgen:ignore VR-ibv_reg_mr-access-0005 the test needs a refused call
	_, err := pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased)
	return err
}

// TestClosedByTheTest closes the device in the test.
func TestClosedByTheTest(t *testing.T) {
	available(t)
	r := &recorder{TB: t}
	_, dev := verbstest.Open(r, verbs.LoadFrom)
	if _, err := dev.AllocPD(); err != nil {
		t.Fatal(err)
	}
	if dev.Lib() == nil {
		t.Error("the device has no library")
	}
	if err := dev.CloseAll(); err != nil {
		t.Error(err)
	}
	if r.end(); len(r.errs) != 0 {
		t.Errorf("%q", r.errs)
	}
}
