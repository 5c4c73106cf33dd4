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

func TestCleanTestPasses(t *testing.T) {
	available(t)
	r := &recorder{TB: t}
	_, dev := verbstest.Open(r, verbs.LoadFrom)
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	if err := pd.Close(); err != nil {
		t.Fatal(err)
	}
	r.end()
	if len(r.errs) != 0 {
		t.Errorf("%q", r.errs)
	}
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

// A call that this device accepts, and others refuse.
func TestLintFailsTheTest(t *testing.T) {
	available(t)
	r := &recorder{TB: t}
	_, dev := verbstest.Open(r, verbs.LoadFrom)
	pd, err := dev.AllocPD()
	if err != nil {
		t.Fatal(err)
	}
	if mr, err := pd.RegMR(make([]byte, 64), verbs.MRAccessLocalWrite|verbs.MRAccessZeroBased); err == nil {
		t.Error(mr.Close())
	}
	if err := pd.Close(); err != nil {
		t.Fatal(err)
	}
	r.end()
	if len(r.errs) == 0 || !strings.HasPrefix(r.errs[0], "lint: ") {
		t.Errorf("%q", r.errs)
	}
}
