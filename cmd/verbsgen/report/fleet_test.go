package report

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// made is the report of a machine of a made-up fleet. Every hundredth machine has one broken case, and a quarter has another kernel.
func made(i, cases int) *Report {
	r := &Report{Schema: Schema, Version: Version, Started: time.Unix(int64(i), 0), Mode: ModeDevice,
		Host:    Host{Name: fmt.Sprintf("node%04d", i), OS: "linux", Arch: "amd64", Kernel: "6.1.0"},
		Library: Library{Name: "libibverbs.so.1", RDMACore: "50.0"},
		Device:  Device{Name: "mlx5_0", Provider: "mlx5_core", Firmware: "28.41.1000"}}
	if i%4 == 0 {
		r.Host.Kernel = "6.12.0"
	}
	for c := range cases {
		x := Case{ID: fmt.Sprintf("CF-mr-%04d", c+1), Family: "memory region", Title: "a case", Page: "ibv_reg_mr", Mode: ModeDevice,
			Status: Pass}
		if i%100 == 7 && c == 3 {
			x.Status, x.Reason = Fail, "it returns EIO"
		}
		r.Cases = append(r.Cases, x)
	}
	return r
}

func plainText(_ Verdict, text string) string { return text }

// TestFleet reads a thousand made-up reports: the outliers are named, the groups counted, and the memory does not grow with the reports.
func TestFleet(t *testing.T) {
	memory := func(reports, cases int) (*Fleet, uint64) {
		f := NewFleet()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range reports {
			data, err := Encode(made(i, cases))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			f.Add(r)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if after.HeapAlloc < before.HeapAlloc {
			return f, 0
		}
		return f, after.HeapAlloc - before.HeapAlloc
	}
	start := time.Now()
	f, large := memory(1000, 40)
	t.Logf("1000 reports of 40 cases: %v, %d KiB kept", time.Since(start), large>>10)
	if large > 4<<20 {
		t.Errorf("1000 reports keep %d KiB", large>>10)
	}
	text := f.Text(plainText)
	for _, want := range []string{
		"  CF-mr-0004: broken on 10 of 750: node0007/mlx5_0, node0107/mlx5_0, node0207/mlx5_0, node0307/mlx5_0, node0407/mlx5_0 and 5 more\n" +
			"      a case: it returns EIO\n",
		"250      mlx5_core  28.41.1000  6.12.0  50.0       10000",
		"1000 devices, 10 broken cases\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks\n%s\nit is\n%s", want, text)
		}
	}
	if !strings.HasPrefix(text, "mlx5_core, firmware 28.41.1000, linux 6.1.0, rdma-core 50.0\n  CF-") {
		t.Errorf("the outliers do not come first:\n%s", text)
	}
}

// TestFleetChanges compares two runs.
func TestFleetChanges(t *testing.T) {
	before, now := NewFleet(), NewFleet()
	for i := range 20 {
		before.Add(made(i, 5))
		if i > 0 {
			now.Add(made(100+i-100*(i%2), 5)) // the odd ones are the same machines
		}
	}
	text, worse := now.Changes(before)
	if worse != 0 || !strings.Contains(text, "node0102/mlx5_0: not in the earlier run") ||
		!strings.Contains(text, "10 devices only in the earlier run") {
		t.Errorf("%d worse\n%s", worse, text)
	}
	broken, fine := NewFleet(), NewFleet()
	broken.Add(made(7, 5))
	r := made(7, 5)
	r.Cases[3].Status = Pass
	fine.Add(r)
	if text, worse := broken.Changes(fine); worse != 1 || !strings.Contains(text, "node0007/mlx5_0: CF-mr-0004 became broken") {
		t.Errorf("%d worse\n%s", worse, text)
	}
	if text, worse := fine.Changes(broken); worse != 0 || !strings.Contains(text, "CF-mr-0004 is no longer broken") {
		t.Errorf("%d worse\n%s", worse, text)
	}
	if text, worse := fine.Changes(fine); worse != 0 || text != "no changes since the earlier run\n" {
		t.Errorf("%d worse\n%s", worse, text)
	}
}
