//go:build linux && cgo

package main

import (
	"cmp"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
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
			err := run(t.Context(), &out, io.Discard, []string{"-device=" + device, "-memory=" + memory})
			if err != nil || !strings.Contains(out.String(), want) {
				t.Fatalf("%v, printed\n%swant %s", err, out.String(), want)
			}
			t.Log(out.String())
		})
	}
}

// TestStaged runs it on a device that takes no dma-bufs, and on one that refuses for another reason.
func TestStaged(t *testing.T) {
	var out strings.Builder
	refused := func(nth uint64, errno syscall.Errno) error {
		return start.On("", func(dev *verbs.Device) error { return move(t.Context(), &out, dev, memfd) },
			softverbs.Fail("ibv_reg_dmabuf_mr", nth, errno))
	}
	want := "another\" is in the other memfd, by WRITE between copies in host memory\n"
	if err := refused(1, syscall.EOPNOTSUPP); err != nil || !strings.HasSuffix(out.String(), want) {
		t.Errorf("%v, printed %s", err, out.String())
	}
	if err := refused(2, syscall.ENOMEM); err == nil || !strings.Contains(err.Error(), "ENOMEM") {
		t.Errorf("error %v", err)
	}
}
