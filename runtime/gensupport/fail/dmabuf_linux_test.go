package fail

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDMABuf looks at descriptors of a process: dma-bufs, and what is none.
func TestDMABuf(t *testing.T) {
	proc := folder(t, map[string]string{
		"fdinfo/3": "pos:\t0\nsize:\t8192\ncount:\t1\nexp_name:\tamdgpu", "fdinfo/4": "pos:\t0\nflags:\t02", "plain": "seven bytes!",
	})
	if err := os.Mkdir(filepath.Join(proc, "fd"), 0o700); err != nil {
		t.Fatal(err)
	}
	for fd, to := range map[string]string{"3": "/dmabuf:", "4": filepath.Join(proc, "plain")} {
		if err := os.Symlink(to, filepath.Join(proc, "fd", fd)); err != nil {
			t.Fatal(err)
		}
	}
	const unable = "the kernel (before 5.12), the driver of the device, or the exporter of the dma-buf (amdgpu) knows no dma-bufs"
	for _, c := range []struct {
		b     DMABuf
		errno syscall.Errno
		src   any
		want  string
	}{
		{DMABuf{3, 0, 8192}, syscall.EINVAL, real{}, ""},
		{DMABuf{3, 4096, 8192}, syscall.EINVAL, real{}, "the dma-buf has 8192 bytes, and the region is to have 8192 from offset 4096 on"},
		{DMABuf{4, 0, 64}, syscall.EINVAL, real{}, "fd 4 is " + proc + "/plain, not a dma-buf"},
		{DMABuf{4, 0, 4}, syscall.EINVAL, nil, ""}, // a software device takes it
		{DMABuf{4, 0, 64}, syscall.EINVAL, nil, "the dma-buf has 13 bytes, and the region is to have 64 from offset 0 on"},
		{DMABuf{5, 0, 64}, syscall.EBADF, real{}, "fd 5 is not open"},
		{DMABuf{5, 0, 64}, syscall.EINVAL, real{}, ""},
		{DMABuf{3, 0, 64}, syscall.EOPNOTSUPP, real{}, unable},
		{DMABuf{3, 0, 64}, errnoNotSupp, real{}, "the exporter of the dma-buf (amdgpu) cannot share this memory with the device"},
		{DMABuf{4, 0, 64}, syscall.EOPNOTSUPP, nil, ""},
		{DMABuf{3, 0, 64}, syscall.ENOMEM, real{}, ""},
	} {
		got := strings.Join(c.b.explain(c.src, c.errno, proc), "; or ")
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v, %v: %q, want %q", c.b, c.errno, got, c.want)
		}
	}
	if got := Failed("v", errnoNotSupp, nil).Error(); got != "v: operation not supported by the driver (ENOTSUPP)" {
		t.Errorf("%q", got)
	}
}
