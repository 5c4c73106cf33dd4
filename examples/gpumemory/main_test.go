//go:build linux && cgo

package main

import (
	"cmp"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device, with dma-bufs where the kernel makes
// them. Soft-RoCE takes none.
func TestRun(t *testing.T) {
	const said = `"from one GPU to another" is in the other `
	memory, want := "", map[string]string{"": said + "memfd, by RDMA WRITE\n"}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		want[name] = said + "dma-buf, by "
		if _, err := os.Stat("/dev/udmabuf"); err != nil {
			memory, want[name] = "memfd", said+"memfd, by "
		}
	}
	for device, want := range want {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device, memory); err != nil || !strings.Contains(out.String(), want) {
				t.Fatalf("%v, printed\n%swant %s", err, out.String(), want)
			}
			t.Log(out.String())
		})
	}
}

// TestStaged runs it on a device that takes no dma-bufs, and on one that refuses for another reason.
func TestStaged(t *testing.T) {
	var out strings.Builder
	err := run(&out, "", "", softverbs.Fail("ibv_reg_dmabuf_mr", 1, syscall.EOPNOTSUPP))
	want := "another\" is in the other memfd, by WRITE between copies in host memory\n"
	if err != nil || !strings.HasSuffix(out.String(), want) {
		t.Errorf("%v, printed %s", err, out.String())
	}
	err = run(io.Discard, "", "", softverbs.Fail("ibv_reg_dmabuf_mr", 2, syscall.ENOMEM))
	if err == nil || !strings.Contains(err.Error(), "ENOMEM") {
		t.Errorf("error %v", err)
	}
}
