//go:build linux && cgo

package suite

import (
	"bytes"
	"encoding/xml"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// target opens a software device, with the given known defects.
func target(t *testing.T, defects Defects, opts ...softverbs.Option) *Target {
	t.Helper()
	if defects == nil {
		defects = Defects{}
	}
	g, err := Open(Config{Device: Software, Soft: opts, Defects: defects})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func run(g *Target, f func(*T), needs ...Capability) report.Case {
	return within(g, 0, f, needs...)
}

// within runs a case with a limit of its own.
func within(g *Target, limit time.Duration, f func(*T), needs ...Capability) report.Case {
	return g.Run(Case{ID: "CF-test-0001", Family: "test", Title: "a test", Page: "ibv_reg_mr", Needs: needs, Limit: limit, Run: f})
}

// TestRun runs cases that end in every way there is, the bad ones between good ones.
func TestRun(t *testing.T) {
	g := target(t, nil, softverbs.MaxDMSize(0))
	stuck := make(chan struct{})
	defer close(stuck)
	cleaned := 0
	for _, c := range []struct {
		name  string
		run   func(*T)
		needs []Capability
		want  report.Status
		says  string
	}{
		{"nothing wrong", func(t *T) { t.Device() }, nil, report.Pass, ""},
		{"wrong twice", func(t *T) { t.Errorf("one"); t.Errorf("two") }, nil, report.Fail, "one; two"},
		{"fatal", func(t *T) { t.Fatalf("no further"); t.Errorf("further") }, nil, report.Fail, "no further"},
		{"panic", func(t *T) { t.Device(); _ = []int{}[len(t.failures)] }, nil, report.Fail,
			"panic: runtime error: index out of range [0] with length 0, at run_test.go:"},
		{"panic in a cleanup", func(t *T) {
			t.Cleanup(func() { cleaned++ })
			t.Cleanup(func() { panic("late") })
		}, nil, report.Fail, "panic: late"},
		{"stuck", func(t *T) {
			if _, limited := t.Context().Deadline(); limited {
				<-stuck
			}
			t.Errorf("nobody listens")
		}, nil, report.Fail, "it has not ended within 200ms"},
		{"left behind", func(t *T) {
			dev, err := t.Lib().OpenDevice(t.Name())
			if err != nil {
				t.Fatalf("%v", err)
			}
			if _, err := dev.AllocPD(); err != nil {
				t.Fatalf("%v", err)
			}
		}, nil, report.Fail, "left behind: "},
		{"lacking", func(t *T) { t.Errorf("it ran") }, []Capability{DM}, report.Skip, "needs dm: max_dm_size is 0"},
		{"lacking as it turns out", func(t *T) { t.Lack(Advise, errors.New("so it says")) }, nil, report.Skip, "needs advise: so it says"},
		{"lacking, but wrong before", func(t *T) { t.Errorf("wrong"); t.Lack(Advise, errors.New("so it says")) }, nil, report.Fail, "wrong"},
		{"nothing wrong again", func(t *T) { t.Device() }, nil, report.Pass, ""},
	} {
		limit := time.Duration(0)
		if c.name == "stuck" {
			limit = 200 * time.Millisecond
		}
		r := within(g, limit, c.run, c.needs...)
		if r.Status != c.want || !strings.HasPrefix(r.Reason, c.says) || (c.says == "") != (r.Reason == "") {
			t.Errorf("%s: %s %q, want %s %q", c.name, r.Status, r.Reason, c.want, c.says)
		}
		if c.name == "stuck" && time.Duration(r.Duration) < 200*time.Millisecond {
			t.Errorf("%s: it took %v", c.name, time.Duration(r.Duration))
		}
		if (r.Status == report.Skip) != (len(r.Lacks) == 1) {
			t.Errorf("%s: lacks %v", c.name, r.Lacks)
		}
	}
	if cleaned != 1 {
		t.Errorf("a cleanup beside one that panics ran %d times", cleaned)
	}
}

// TestMachine says what the machine lacks from what the device lacks.
func TestMachine(t *testing.T) {
	g := target(t, nil)
	g.lacking[Memory] = "none"
	g.lacking[DM] = "none either"
	if r := run(g, func(*T) {}, Memory, DM); len(r.Lacks) != 1 || r.Lacks[0] != "dm" {
		t.Errorf("%+v", r)
	}
	if r := run(g, func(*T) {}, Memory); r.Status != report.Skip || r.Reason != "needs memory: none" || len(r.Lacks) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestNoDevice opens what is not there. Each time an error, never a run of nothing.
func TestNoDevice(t *testing.T) {
	if _, err := Open(Config{Device: Software, Soft: []softverbs.Option{softverbs.NoDevices()}}); err == nil ||
		!strings.Contains(err.Error(), "no RDMA device") {
		t.Errorf("an empty list: %v", err)
	}
	if _, err := Open(Config{Device: Software, Soft: []softverbs.Option{softverbs.Name("other0")}}); err == nil ||
		!strings.Contains(err.Error(), "other0") {
		t.Errorf("another device: %v", err)
	}
	if _, err := Open(Config{Device: Software, PeerDevice: "rxe1"}); err == nil {
		t.Error("a peer device beside software is accepted")
	}
	if _, err := Open(Config{Device: Software, Port: 9}); err == nil {
		t.Error("a port that is not there is opened")
	}
	if _, err := Open(Config{Device: "no_such_device"}); err == nil {
		t.Error("a device that is not there is opened")
	}
}

// TestKnown makes a case fail in ways that are listed, and in others.
func TestKnown(t *testing.T) {
	list, err := ParseDefects([]byte(`[{"provider": "softverbs", "kernels": {"from": "1.0"}, "case": "CF-test-0001", "observed": "EIO", "evidence": "a commit"},
		{"provider": "softverbs", "kernels": {"before": "1.0"}, "case": "CF-test-0001", "observed": "EPERM", "evidence": "another"},
		{"provider": "mlx5_core", "kernels": {}, "case": "CF-test-0001", "observed": "ENOMEM", "evidence": "a third"}]`))
	if err != nil {
		t.Fatal(err)
	}
	g := target(t, list)
	for _, c := range []struct {
		says []string
		want report.Status
	}{
		{[]string{"want EINVAL, got EIO"}, report.Known},
		{[]string{"EIO", "EIO too"}, report.Known},
		{[]string{"EIO", "and something else"}, report.Fail},
		{[]string{"EPERM"}, report.Fail},  // another kernel
		{[]string{"ENOMEM"}, report.Fail}, // another provider
		{nil, report.Pass},
	} {
		r := run(g, func(t *T) {
			for _, s := range c.says {
				t.Errorf("%s", s)
			}
		})
		if r.Status != c.want || (r.Status == report.Known) != (r.Evidence == "a commit") {
			t.Errorf("%q: %+v", c.says, r)
		}
		if c.want == report.Pass && !strings.Contains(r.Reason, "known defect") {
			t.Errorf("a defect that is gone is not told: %+v", r)
		}
	}
	for _, bad := range []string{`{}`, `[{"provider": "x"}]`,
		`[{"provider": "x", "case": "c", "observed": "o", "evidence": "e", "colour": "red"}]`,
		`[{"provider": "x", "case": "c", "observed": "o", "evidence": "e", "kernels": {"from": "new"}}]`} {
		if _, err := ParseDefects([]byte(bad)); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestHarmful runs no case that the kernel may not survive, unless the device lacks what the case needs.
func TestHarmful(t *testing.T) {
	g := target(t, Defects{{Provider: "softverbs", Case: "CF-test-0001", Observed: "an oops", Evidence: "a commit", Harm: true}})
	r := run(g, func(t *T) { panic("it runs") })
	if r.Status != report.Known || r.Reason != "not run: an oops" || r.Evidence != "a commit" {
		t.Errorf("%+v", r)
	}
	g.lacking[ODP] = "none"
	if r := g.Run(Case{ID: "CF-test-0001", Needs: []Capability{ODP}, Run: func(*T) {}}); r.Status != report.Skip {
		t.Errorf("%+v", r)
	}
}

// TestKernelRange compares releases by number, not as texts.
func TestKernelRange(t *testing.T) {
	r := KernelRange{From: "6.1", Before: "6.12"}
	for kernel, want := range map[string]bool{"6.1.0-50-amd64": true, "6.1": true, "6.2": true, "6.11.9": true, "6.12.0": false,
		"6.12": false, "7.0": false,
		"6.0.99": false, "5.15": false, "": false} {
		if r.holds(kernel) != want {
			t.Errorf("%q in %v: %t", kernel, r, !want)
		}
	}
	if !(KernelRange{}).holds("6.1") {
		t.Error("an open range does not hold 6.1")
	}
}

// TestErrno has T.Errno look at errors of every kind.
func TestErrno(t *testing.T) {
	g := target(t, nil)
	fail := func(t *T, errno syscall.Errno) error {
		if err := t.Soft().Fail("ibv_alloc_pd", 1, errno); err != nil {
			t.Fatalf("%v", err)
		}
		_, err := t.Device().AllocPD()
		return err
	}
	if r := run(g, func(t *T) { t.Errno("x", fail(t, syscall.EIO), syscall.EPERM, syscall.EIO) }); r.Status != report.Pass {
		t.Errorf("an errno of the set: %+v", r)
	}
	for name, f := range map[string]func(*T){
		"accepted":          func(t *T) { t.Errno("x", nil, syscall.EIO) },
		"EIO, want EPERM":   func(t *T) { t.Errno("x", fail(t, syscall.EIO), syscall.EPERM) },
		"error of a verb":   func(t *T) { t.Errno("x", syscall.EIO, syscall.EIO) },
		"refused by a rule": func(t *T) { _, err := t.Device().QueryPort(0); t.Errno("x", err, syscall.EINVAL) },
	} {
		if r := run(g, f); r.Status != report.Fail || !strings.Contains(r.Reason, name) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestOK has T.OK look at success and at an error.
func TestOK(t *testing.T) {
	g := target(t, nil)
	if r := run(g, func(t *T) { t.OK("asked", nil) }); r.Status != report.Pass {
		t.Errorf("success: %+v", r)
	}
	if r := run(g, func(t *T) { t.OK("asked", syscall.EIO) }); r.Status != report.Fail || !strings.HasPrefix(r.Reason, "asked: ") {
		t.Errorf("an error: %+v", r)
	}
}

// TestObserved runs a case that is told every kind of answer, and one that is told too many.
func TestObserved(t *testing.T) {
	g := target(t, nil)
	r := run(g, func(t *T) {
		dev := t.Open()
		pd, err := dev.AllocPD()
		t.OK("made", err)
		_, err = dev.QueryPort(0)
		t.Saw("refused", err)
		_ = t.Soft().Fail("ibv_dealloc_pd", 1, syscall.EIO)
		t.Errno("failed", pd.Close(), syscall.EIO)
		t.Saw("closed", errors.Join(pd.Close(), pd.Close()))
		t.Saw("odd", errors.New("at 0xc000123456"))
		t.Status("completed", verbs.WCStatusRemAccessErr, verbs.WCStatusSuccess, verbs.WCStatusRemAccessErr)
		t.Note("without the bindings", AnswerErrno(syscall.ENODATA))
		t.Cleanup(func() { t.OK("closing", nil) }) // not what the case is about
	})
	if r.Status != report.Pass || !slices.Equal(r.Observed, []report.Observation{{What: "made", Answer: "ok"},
		{What: "refused", Answer: "refused by rule VR-ibv_query_port-port_num-0170"}, {What: "failed", Answer: "EIO"},
		{What: "closed", Answer: "closed"},
		{What: "odd", Answer: "an error without an errno"}, {What: "completed", Answer: "IBV_WC_REM_ACCESS_ERR"},
		{What: "without the bindings", Answer: "ENODATA"}}) {
		t.Errorf("%+v", r)
	}
	if r := run(g, func(t *T) { t.Status("x", 12, verbs.WCStatusSuccess, verbs.WCStatusRemInvReqErr) }); r.Reason !=
		"x: completed with status 12 (IBV_WC_RETRY_EXC_ERR), want IBV_WC_SUCCESS or IBV_WC_REM_INV_REQ_ERR" {
		t.Errorf("%+v", r)
	}
	many := func(last string) report.Case {
		return run(g, func(t *T) {
			for range 2000 {
				t.Note("one of many", "ok")
			}
			t.Note("the last", last)
		})
	}
	a, b, other := many("ok"), many("ok"), many("EIO")
	if len(a.Observed) != maxObserved+1 || a.Observed[maxObserved].What != "1937 answers more" {
		t.Errorf("%d answers, the last %v", len(a.Observed), a.Observed[len(a.Observed)-1])
	}
	if !slices.Equal(a.Observed, b.Observed) || slices.Equal(a.Observed, other.Observed) {
		t.Errorf("the same answers give %v and %v, others %v", a.Observed[maxObserved], b.Observed[maxObserved], other.Observed[maxObserved])
	}
}

// TestReport writes a report and reads it back, and as JUnit XML.
func TestReport(t *testing.T) {
	g := target(t, Defects{{Provider: "softverbs", Case: "CF-test-0001", Observed: "known", Evidence: "a commit"}})
	results := []report.Case{run(g, func(*T) {}), run(g, func(t *T) { t.Errorf("wrong <&>\nand more") }),
		run(g, func(t *T) { t.Errorf("known") }),
		run(g, func(t *T) { t.Lack(DM, errors.New("none")) })}
	for i := range results {
		results[i].ID = "CF-test-000" + string(rune('1'+i))
	}
	r := g.Report(results)
	data, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := report.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	again, err := report.Encode(back)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("read back it is another one, %v:\n%s\n%s", err, data, again)
	}
	if back.Host.Kernel == "" || back.Device.Provider != Software || back.Library.RDMACore != "65.0" ||
		len(back.Capabilities) != len(Capabilities()) {
		t.Errorf("%+v", back)
	}
	var b bytes.Buffer
	if err := WriteJUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Time     float64 `xml:"time,attr"`
		Suites   []struct {
			Time  float64 `xml:"time,attr"`
			Cases []struct {
				Failure *struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if doc.Time <= 0 || doc.Suites[0].Time < time.Duration(results[0].Duration).Seconds() { // an empty time is no number
		t.Errorf("times %v and %v", doc.Time, doc.Suites[0].Time)
	}
	if doc.Tests != 4 || doc.Failures != 1 || doc.Skipped != 2 || doc.Suites[0].Cases[1].Failure.Text != "wrong <&>\nand more" {
		t.Errorf("%+v\n%s", doc, b.String())
	}
}
