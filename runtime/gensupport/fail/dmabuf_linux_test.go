package fail

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDMABuf looks at descriptors of a process, dma-bufs and what is none, on an old kernel and on a new one, with nvidia-peermem and
// without.
func TestDMABuf(t *testing.T) {
	root := folder(t, map[string]string{
		"new/self/fdinfo/3": "pos:\t0\nsize:\t8192\ncount:\t1\nexp_name:\tamdgpu", "new/self/fdinfo/4": "pos:\t0\nflags:\t02",
		"new/self/fdinfo/6": "size:\t8192\nexp_name:\tnv_dmabuf", "new/self/fdinfo/7": "flags:\t02",
		"new/sys/kernel/osrelease": "6.12.107+deb13-amd64", "old/sys/kernel/osrelease": "5.4.0-216-generic",
		"old/self/fdinfo/3": "size:\t8192\nexp_name:\tamdgpu", "sys/class/x": "", "peermem/module/nvidia_peermem/refcnt": "0",
		"plain": "seven bytes!",
	})
	at := func(elem ...string) string { return filepath.Join(append([]string{root}, elem...)...) }
	plain := at("plain")
	for link, to := range map[string]string{"new/self/fd/3": "/dmabuf:", "new/self/fd/4": plain, "new/self/fd/6": "/dmabuf:",
		"new/self/fd/7": "/dmabuf:", "old/self/fd/3": "/dmabuf:"} {
		check(t, os.MkdirAll(filepath.Dir(at(link)), 0o700))
		check(t, os.Symlink(to, at(link)))
	}
	const (
		unable  = "the driver of the device, or the exporter of the dma-buf (amdgpu), knows no dma-bufs; copy through host memory"
		unnamed = "the driver of the device, or the exporter of the dma-buf, knows no dma-bufs; load nvidia-peermem and register CUDA memory " +
			"by its address (RegMRFrom), or copy through host memory"
		loaded = "the driver of the device, or the exporter of the dma-buf (nv_dmabuf), knows no dma-bufs; the module nvidia-peermem is " +
			"loaded: CUDA memory can be registered by its address (RegMRFrom)"
	)
	for _, c := range []struct {
		proc, sys string
		b         DMABuf
		errno     syscall.Errno
		src       any
		want      string
	}{
		{"new", "sys", DMABuf{3, 0, 8192}, syscall.EINVAL, real{}, ""},
		{"new", "sys", DMABuf{3, 4096, 8192}, syscall.EINVAL, real{},
			"the dma-buf has 8192 bytes, and the region is to have 8192 from offset 4096 on; register less"},
		{"new", "sys", DMABuf{4, 0, 64}, syscall.EINVAL, real{},
			"fd 4 is " + plain + ", not a dma-buf; pass a descriptor that the driver of the memory exported"},
		{"new", "sys", DMABuf{4, 0, 4}, syscall.EINVAL, nil, ""}, // a software device takes it
		{"new", "sys", DMABuf{4, 0, 64}, syscall.EINVAL, nil,
			"the dma-buf has 13 bytes, and the region is to have 64 from offset 0 on; register less"},
		{"new", "sys", DMABuf{5, 0, 64}, syscall.EBADF, real{}, "fd 5 is not open; keep it open until the region is registered"},
		{"new", "sys", DMABuf{3, 0, 64}, syscall.EBADF, real{}, ""},
		{"new", "sys", DMABuf{5, 0, 64}, syscall.EINVAL, real{}, ""},
		{"new", "sys", DMABuf{3, 0, 64}, syscall.EOPNOTSUPP, real{}, unable},
		{"new", "peermem", DMABuf{3, 0, 64}, syscall.EOPNOTSUPP, real{}, unable},
		{"new", "sys", DMABuf{7, 0, 64}, syscall.EPROTONOSUPPORT, real{}, unnamed},
		{"new", "peermem", DMABuf{6, 0, 64}, syscall.EOPNOTSUPP, real{}, loaded},
		{"old", "sys", DMABuf{3, 0, 64}, syscall.EOPNOTSUPP, real{},
			"Linux 5.4.0-216-generic may be too old, as dma-bufs came with 5.12; or " + unable},
		{"new", "sys", DMABuf{3, 0, 64}, errnoNotSupp, real{}, "the exporter of the dma-buf (amdgpu) cannot share this memory with the device: " +
			"they may be behind different PCI host bridges, or the memory cannot move; look at the topology (nvidia-smi topo -m), or copy " +
			"through host memory"},
		{"new", "sys", DMABuf{4, 0, 64}, syscall.EOPNOTSUPP, nil, ""},
		{"new", "sys", DMABuf{3, 0, 64}, syscall.ENOMEM, real{}, ""},
	} {
		t.Setenv("SYSFS_PATH", at(c.sys))
		if got := strings.Join(c.b.explain(c.src, c.errno, at(c.proc, "self")), "; or "); got != c.want {
			t.Errorf("%s, %s: %+v, %v: %q, want %q", c.proc, c.sys, c.b, c.errno, got, c.want)
		}
	}
	if got := Failed("v", errnoNotSupp, nil).Error(); got != "v: operation not supported by the driver (ENOTSUPP)" {
		t.Errorf("%q", got)
	}
}
