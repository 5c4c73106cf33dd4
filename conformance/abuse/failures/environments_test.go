//go:build linux && cgo

package failures

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// open opens the first device.
func (m *machine) open() (*verbs.Device, error) {
	lib, err := verbs.Load()
	if err != nil {
		return nil, err
	}
	return lib.OpenDevice(m.device())
}

func openFirst(m *machine) error { return only(m.open()) }

// openChannel opens a channel of the connection manager.
func openChannel(*machine) error {
	lib, err := verbs.Load()
	if err != nil {
		return err
	}
	cm, err := rdmacm.Load(lib)
	if err != nil {
		return err
	}
	return only(cm.CreateEventChannel())
}

// withFiles calls do while n file descriptors are free. The program may open more at its end: the address sanitizer does.
func withFiles(n int, do func() error) error {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		return err
	}
	few := unix.Rlimit{Max: before.Max}
	for free := 0; ; few.Cur++ {
		if _, err := unix.FcntlInt(uintptr(few.Cur), unix.F_GETFD, 0); err != nil {
			if free++; free > n {
				break
			}
		}
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		return err
	}
	return errors.Join(do(), unix.Setrlimit(unix.RLIMIT_NOFILE, &before))
}

func nothing(*machine) error { return nil }

// withChannel adds the node of the connection manager, and what sysfs has of it.
func withChannel(change func(m *machine) error) func(*machine) error {
	return func(m *machine) error {
		if m.real {
			return change(m)
		}
		if err := m.write("class/misc/rdma_cm/abi_version", "4"); err != nil {
			return err
		}
		if err := m.write("class/misc/rdma_cm/dev", "1:7"); err != nil {
			return err
		}
		return change(m)
	}
}

// environments are machines where something is missing or forbidden.
func environments() []environment {
	return append(deviceEnvironments(), append(providerEnvironments(), channelEnvironments()...)...)
}

func deviceEnvironments() []environment {
	verbsClass := func(m *machine) string { return filepath.Join(m.sysfs, "class/infiniband_verbs") }
	return []environment{
		{name: "no /sys", tree: true, do: openFirst, make: func(m *machine) error { return os.RemoveAll(m.sysfs) },
			says: []string{`there is no .*/sys/class, where the kernel lists its devices; mount sysfs`, "ENOSYS"}},
		{name: "a kernel without RDMA", tree: true, do: openFirst, make: func(m *machine) error {
			return errors.Join(os.RemoveAll(verbsClass(m)), os.RemoveAll(filepath.Join(m.sysfs, "class/infiniband")))
		}, says: []string{`the kernel has no RDMA \(there is no .*/class/infiniband_verbs\); load the modules`, "ENOSYS"}},
		{name: "the module ib_uverbs is not loaded", tree: true, do: openFirst,
			make: func(m *machine) error { return os.RemoveAll(verbsClass(m)) },
			says: []string{`the kernel has mlx5_0, mlx5_1, but no .*/class/infiniband_verbs; load the module ib_uverbs`, "ENOSYS"}},
		{name: "a machine without a device", tree: true, do: openFirst, make: func(m *machine) error {
			return errors.Join(os.RemoveAll(filepath.Join(verbsClass(m), "uverbs0")), os.RemoveAll(filepath.Join(verbsClass(m), "uverbs1")),
				os.RemoveAll(filepath.Join(m.sysfs, "class/infiniband")))
		}, says: []string{`no device "mlx5_0"; there is none: `, "ENODEV"}, not: "libibverbs leaves out"},
		{name: "a container without nodes", do: openFirst, make: func(m *machine) error {
			return errors.Join(m.lose("uverbs0"), m.lose("uverbs1"), os.RemoveAll(m.nodes))
		},
			says: []string{`leaves out mlx5_0, .*no /dev/infiniband/uverbs0.*although the kernel has the device.*docker run --device=/dev/infiniband/uverbs0`,
				"ENODEV"}, not: "uverbs1"},
		{name: "a container with the node of another device", do: openFirst, make: func(m *machine) error { return m.lose("uverbs0") },
			says: []string{`leaves out mlx5_0, .*no /dev/infiniband/uverbs0`}, not: "uverbs1"},
		{name: "no permission on the node", do: openFirst, user: true, make: func(m *machine) error {
			if m.real {
				return m.close("uverbs0")
			}
			return errors.Join(m.lose("uverbs0"), m.close("uverbs0"))
		},
			says: []string{`device mlx5_0: user (nobody|\w+) may not read and write /dev/infiniband/uverbs0 \(owner \w+, group \w+, mode 0[06]00\);.*group`, "EACCES"}},
		{name: "no permission on the folder of the nodes", do: openFirst, user: true,
			make: func(m *machine) error { return os.Chmod(m.nodes, 0o700&^forNested()) },
			says: []string{`may not look into /dev/infiniband; give it execute permission`}},
		{name: "a node with the numbers of another device", tree: true, do: openFirst, make: func(m *machine) error {
			return m.write("class/infiniband_verbs/uverbs0/dev", "231:192")
		}, says: []string{`/dev/infiniband/uverbs0 has the numbers 1:7, and the device 231:192`, "make the node anew"}},
		{name: "a plain file in place of the node", do: openFirst, make: func(m *machine) error {
			return errors.Join(m.lose("uverbs0"), os.WriteFile(m.nodeName(0), nil, 0o666))
		}, says: []string{`/dev/infiniband/uverbs0 is not a character device; make it anew with the numbers \d+:\d+`}},
		{name: "a container whose cgroup does not have the device", real: true, do: openFirst, make: forbid,
			says: []string{`device mlx5_0: /dev/infiniband/uverbs0 exists, but this process may not use the device, most likely since the container`,
				`docker run --device=/dev/infiniband/uverbs0`, "EPERM"}},
		{name: "a node with numbers that no driver has", real: true, do: openFirst, make: func(m *machine) error {
			return errors.Join(m.lose("uverbs0"), unix.Mknod(m.nodeName(0), unix.S_IFCHR|0o666, int(unix.Mkdev(uverbsMajor, 250))))
		}, says: []string{`/dev/infiniband/uverbs0 leads to no driver; load the module ib_uverbs, or make the node anew`, "ENXIO"}},
		{name: "a node that is as it should be", tree: true, do: openFirst, make: nothing, // the kernel refuses what is written
			says: []string{`^ibv_open_device: no space left on device \(ENOSPC\)$`}},
		{name: "too many open files for the list", make: nothing, do: func(*machine) error {
			lib, err := verbs.Load()
			if err != nil {
				return err
			}
			return withFiles(1, func() error { return only(lib.Devices()) })
		},
			says: []string{`file descriptors \(RLIMIT_NOFILE\) are left; raise the limit`, "EMFILE"}, not: "load the module"},
		{name: "too many open files for the library",
			make: nothing, do: func(m *machine) error { return withFiles(0, func() error { return openFirst(m) }) },
			says: []string{`load libibverbs.so.1: .*: Too many open files`, `file descriptors \(RLIMIT_NOFILE\) are left; raise the limit`}, not: "install"},
	}
}

// forNested are the bits that even the root of a namespace must not have.
func forNested() os.FileMode {
	if nested() {
		return 0o700
	}
	return 0
}

func providerEnvironments() []environment {
	library, err := filepath.EvalSymlinks("/usr/lib/x86_64-linux-gnu/libibverbs.so.1")
	if err != nil {
		library = "/usr/lib64/libibverbs.so.1"
	}
	return []environment{
		{name: "a limit on locked memory", real: true, user: true, make: func(*machine) error {
			return unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: 64 << 10, Max: 64 << 10})
		}, do: func(m *machine) error {
			dev, err := m.open()
			if err != nil {
				return err
			}
			pd, err := dev.AllocPD()
			if err != nil {
				return err
			}
			return only(pd.RegMR(make([]byte, 128<<10), local))
		}, says: []string{`ibv_reg_mr: .*ENOMEM.*RLIMIT_MEMLOCK, is 64 KiB.*raise it \(ulimit -l`}},
		{name: "no library", make: nothing, do: func(m *machine) error {
			return only(verbs.Load(verbs.Path(filepath.Join(m.root, "libibverbs.so.1"))))
		}, says: []string{"no such file; install it", "ibverbs-providers"}},
		{name: "no configuration of providers", do: openFirst, make: func(*machine) error { return hide("/etc/libibverbs.d") },
			says: []string{`leaves out mlx5_0, .*no file of /etc/libibverbs.d names its provider \((mlx5, of the kernel's driver mlx5_core|rxe)\); install`, "ibverbs-providers"}},
		{name: "no libraries of providers", do: openFirst, make: func(*machine) error {
			return hide(filepath.Join(filepath.Dir(library), "libibverbs"))
		}, says: []string{`leaves out mlx5_0, .*there is no .*/lib(mlx5|rxe)-rdmav\*.so, the provider of its driver \(.*\); install`}},
		{name: "a provider that cannot be loaded", tree: true, do: openFirst, make: func(m *machine) error {
			empty := filepath.Join(m.root, "empty")
			provider, err := filepath.Glob(filepath.Join(filepath.Dir(library), "libibverbs/libmlx5-rdmav*.so"))
			if err != nil || len(provider) == 0 {
				return fmt.Errorf("no libmlx5: %v", err)
			}
			file, err := filepath.EvalSymlinks(provider[0])
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(empty, []byte("not a library"), 0o644), unix.Mount(empty, file, "", unix.MS_BIND, ""))
		}, says: []string{`leaves out mlx5_0, .*its provider \(mlx5, .*\) is installed; its warnings on stderr say why`}},
	}
}

func channelEnvironments() []environment {
	return []environment{
		{name: "no module rdma_ucm", tree: true, do: openChannel, make: nothing,
			says: []string{`rdma_create_event_channel: there is no /dev/infiniband/rdma_cm, and no .*/class/misc/rdma_cm; load the module rdma_ucm`, "ENOENT"}},
		{name: "a container without the node rdma_cm", do: openChannel, make: withChannel(func(m *machine) error {
			if m.real {
				return m.lose("rdma_cm")
			}
			return nil
		}),
			says: []string{`no /dev/infiniband/rdma_cm, although the kernel has the device.*docker run --device=/dev/infiniband/rdma_cm`, "ENOENT"}},
		{name: "no permission on the node rdma_cm", do: openChannel, user: true,
			make: withChannel(func(m *machine) error { return m.close("rdma_cm") }),
			says: []string{`user \w+ may not read and write /dev/infiniband/rdma_cm \(owner`, "EACCES"}},
		{name: "a connection manager without a device", do: openChannel, make: withChannel(func(m *machine) error {
			if !m.real {
				if err := m.bind("/dev/full", filepath.Join(m.nodes, "rdma_cm")); err != nil {
					return err
				}
			}
			return errors.Join(m.lose("uverbs0"), m.lose("uverbs1"))
		}), says: []string{`no RDMA device was found; `, `leaves out mlx5_0, .*no /dev/infiniband/uverbs0`, "ENODEV"}},
	}
}

// TestEnvironments opens a device, or a channel, on each machine.
func TestEnvironments(t *testing.T) {
	needsMounts(t)
	for _, e := range environments() {
		t.Run(strings.ReplaceAll(e.name, " ", "_"), func(t *testing.T) {
			m := newMachine("")
			if e.tree && m.real {
				t.Skip("the kernel lists its devices, whatever SYSFS_PATH is")
			}
			if e.real && !m.real {
				t.Skip("needs a kernel device")
			}
			said := e.process(t)
			t.Log(said)
			record(e.name, map[bool]string{true: kernel}[m.real], said)
			for _, want := range e.says {
				want = strings.ReplaceAll(want, deviceName(0), m.device())
				if !regexp.MustCompile(want).MatchString(said) {
					t.Errorf("nothing matches %q in:\n%s", want, said)
				}
			}
			if e.not != "" && strings.Contains(said, e.not) {
				t.Errorf("it says %q:\n%s", e.not, said)
			}
		})
	}
}
