package fail

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestRoute explains paths that a device refused, and says nothing of those that it finds nothing wrong with.
func TestRoute(t *testing.T) {
	table := map[int][16]byte{0: {0xfe, 0x80, 15: 1}, 3: {10: 0xff, 11: 0xff, 12: 192, 13: 0, 14: 2, 15: 1}}
	gid := func(i int) ([16]byte, bool) { return table[i], true }
	none := func(int) ([16]byte, bool) { return [16]byte{}, true }
	good := Path{Port: 1, Active: true, State: "ACTIVE", Ethernet: true, Global: true, DGID: [16]byte{0xff, 0x0e}, Index: 3, Entries: 8,
		GID: gid}
	unknown := func(int) ([16]byte, bool) { return [16]byte{}, false }
	with := func(change func(*Path)) Path { p := good; change(&p); return p }
	for _, c := range []struct {
		p    Path
		want []string
	}{
		{good, nil},
		{with(func(p *Path) { p.Global = false }),
			[]string{"port 1 is Ethernet, which needs a global route (GRH); set IsGlobal, DGID and SGIDIndex"}},
		{with(func(p *Path) { p.Global, p.Ethernet = false, false }), nil},
		{with(func(p *Path) { p.Index = 1 }),
			[]string{"entry 1 of the GID table of port 1, SGIDIndex, is empty; use one of 0: fe80::1"}},
		{with(func(p *Path) { p.Index = 200 }),
			[]string{"entry 200 of the GID table of port 1, SGIDIndex, does not exist (it has 8); use one of 0: fe80::1"}},
		{with(func(p *Path) { p.GID = none }), []string{"entry 3 of the GID table of port 1, SGIDIndex, is empty; no entry has a GID yet: " +
			"give its network interface an address"}},
		{with(func(p *Path) { p.GID = unknown }), nil},
		{with(func(p *Path) { p.Active, p.State = false, "DOWN" }), []string{"port 1 is DOWN, not ACTIVE; bring its link up"}},
	} {
		if got := Route(syscall.EINVAL, c.p); !slices.Equal(got, c.want) {
			t.Errorf("%+v:\ngot  %q\nwant %q", c.p, got, c.want)
		}
	}
}

// TestWrong finds the first pages of a range that cannot be registered.
func TestWrong(t *testing.T) {
	maps := []mapping{
		{0x1000, 0x3000, "rw-p", ""}, {0x3000, 0x4000, "r--p", "/usr/lib/x"}, {0x6000, 0x7000, "---p", ""},
		{0x8000, 0x9000, "rw-s", "/data/file"}, {0x9000, 0xa000, "rw-p", "/data/file"}, {0xb000, 0xc000, "rw-p", ""},
	}
	for _, c := range []struct {
		addr, length, access uint64
		want                 string
	}{
		{0x1000, 0x2000, 1, ""},
		{0x2000, 0x2000, 1, "bytes 0x3000 to 0x3fff of it are mapped read-only (/usr/lib/x); register them without LOCAL_WRITE"},
		{0x3800, 0x10, 16, "bytes 0x3800 to 0x380f of it are mapped read-only"},
		{0x3000, 0x1000, 4, "bytes 0x3000 to 0x3fff of it are a mapping of a file (/usr/lib/x), and pages behind its end"},
		{0x1000, 0x2001, 1, "bytes 0x3000 to 0x3000 of it are mapped read-only"},
		{0x4000, 0x1000, 0, "bytes 0x4000 to 0x4fff of it are not mapped"},
		{0x3000, 0x2000, 0, "bytes 0x3000 to 0x3fff of it are a mapping of a file"},
		{0x0, 0x1000, 0, "bytes 0x0 to 0xfff of it are not mapped"},
		{0xb000, 0x2000, 1, "bytes 0xc000 to 0xcfff of it are not mapped"},
		{0x6000, 0x1000, 0, "bytes 0x6000 to 0x6fff of it are mapped without read permission; map them with PROT_READ"},
		{0x8000, 0x1000, 1, "bytes 0x8000 to 0x8fff of it are a shared mapping of a file (/data/file)"},
		{0xb000, 0x1000, 1, ""},
		{^uint64(0), 2, 1, ""},
	} {
		if got := wrong(maps, syscall.EFAULT, c.addr, c.length, c.access); got == "" != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%#x + %#x, access %d: %q, want %q", c.addr, c.length, c.access, got, c.want)
		}
	}
}

// TestSpecial names memory that the kernel does not pin, by the errno with which it says so.
func TestSpecial(t *testing.T) {
	for _, c := range []struct {
		path   string
		errnos []syscall.Errno // with which it is named
		want   string
	}{
		{"[vvar]", []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP}, "are the kernel's own ([vvar]), which it does not pin"},
		{"/dev/nvidia-uvm", []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP}, "are memory of a GPU (/dev/nvidia-uvm); export"},
		{"/sys/devices/pci0000:00/0000:00:03.0/resource2", []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP},
			"are memory of a device (/sys/devices/pci0000:00/0000:00:03.0/resource2)"},
		{"/dev/infiniband/uverbs0", []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP}, "are memory of a device"},
		{"/secretmem (deleted)", []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP}, "are secret memory (memfd_secret)"},
		{"/sys/kernel/btf/vmlinux", nil, "memory of a device"},
		{"/dev/shm/file", nil, "memory of a"},
		{"/memfd:x (deleted)", nil, "secret memory"},
		{"[heap]", nil, "the kernel's own"},
		{"/mnt/pmem/file", []syscall.Errno{syscall.EOPNOTSUPP}, "on a file system with dax"},
		{"", nil, "are"},
	} {
		maps := []mapping{{0x1000, 0x2000, "rw-s", c.path}}
		for _, errno := range []syscall.Errno{syscall.EFAULT, syscall.EINVAL, syscall.EOPNOTSUPP} {
			got := wrong(maps, errno, 0x1000, 0x1000, 1)
			if strings.Contains(got, c.want) != slices.Contains(c.errnos, errno) {
				t.Errorf("%s, %v: %q, want %q for %v", c.path, errno, got, c.want, c.errnos)
			}
		}
	}
	if got := wrong([]mapping{{0x1000, 0x2000, "rw-s", "/mnt/pmem/file"}}, syscall.EOPNOTSUPP, 0x1000, 0x1000, onDemand); got != "" {
		t.Errorf("on demand: %q", got)
	}
	if got := wrong(nil, syscall.EINVAL, 0x1000, 0x1000, 1); got != "" {
		t.Errorf("EINVAL of what is not mapped: %q", got)
	}
}

// TestMemory asks a software device for its limit, and nothing about other errnos.
func TestMemory(t *testing.T) {
	if got := MemoryHints(limited{}, "soft0", syscall.ENOMEM, 1, 60<<10, 0); len(got) != 1 ||
		!strings.Contains(got[0], "RLIMIT_MEMLOCK, is 64 KiB (0 KiB locked and 4 KiB pinned now)") {
		t.Errorf("%q", got)
	}
	if got := MemoryHints(limited{}, "soft0", syscall.ENOMEM, 1<<16, 60<<10, 0); got != nil {
		t.Errorf("of memory that the limit allows: %q", got)
	}
	for _, length := range []uint64{0, ^uint64(0)} {
		if got := MemoryHints(limited{}, "soft0", syscall.ENOMEM, 1<<16, length, 0); len(got) != 1 {
			t.Errorf("of %#x bytes: %q", length, got)
		}
	}
	if got := MemoryHints(limited{}, "soft1", syscall.ENOMEM, 1, 60<<10, 0); got != nil {
		t.Errorf("of a device without a limit: %q", got)
	}
	if got := MemoryHints(limited{}, "soft0", syscall.EINVAL, 1, 2, 0); got != nil {
		t.Errorf("%q", got)
	}
}

type limited struct{}

func (limited) Memlock(device string) (limit, pinned uint64) {
	if device != "soft0" {
		return 0, 0
	}
	return 64 << 10, 4 << 10
}
