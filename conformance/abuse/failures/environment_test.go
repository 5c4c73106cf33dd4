//go:build linux && cgo

package failures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// environment is a machine on which something is missing or forbidden.
type environment struct {
	name string
	make func(m *machine) error // changes the machine
	user bool                   // without privileges
	do   func(m *machine) error // a program; its error is the one to see
	says []string
	not  string // what must not be said
	// tree needs a /sys of the test; real needs a kernel device.
	tree, real bool
}

// machine is what an environment changes: its own /sys, and mounts over the folders of the system.
type machine struct {
	root  string // its folder
	sysfs string
	nodes string // what it has in place of /dev/infiniband
	real  bool   // it has the kernel's devices
}

// newMachine is a machine with the kernel's devices if there are some, and else with a /sys of its own.
func newMachine(root string) *machine {
	m := &machine{root: root, sysfs: filepath.Join(root, "sys"), nodes: "/dev/infiniband", real: *deviceFlag != ""}
	if m.real {
		m.sysfs = "/sys"
	}
	return m
}

// device is the name of the device that programs open.
func (m *machine) device() string {
	if m.real {
		return *deviceFlag
	}
	return deviceName(0)
}

// run makes the environment and runs its program, in this process or, without privileges, in another.
func (e environment) run(root string) error {
	m := newMachine(root)
	if os.Getenv(envReady) == "" {
		if err := m.prepare(); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		if err := e.make(m); err != nil {
			return fmt.Errorf("make: %w", err)
		}
		if e.user {
			return e.again(root)
		}
	}
	if !m.real {
		if err := os.Setenv("SYSFS_PATH", m.sysfs); err != nil {
			return err
		}
	}
	err := e.do(m)
	if err == nil {
		return errors.New("the program has no error")
	}
	fmt.Println(err)
	return nil
}

// prepare makes folders for the process: /dev with two nodes only, and a /sys with two devices.
func (m *machine) prepare() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := os.Chmod(m.root, 0o755); err != nil {
		return err
	}
	kept := []string{"/dev/null", "/dev/full"}
	for _, dev := range kept {
		if err := m.bind(dev, filepath.Join(m.root, filepath.Base(dev))); err != nil {
			return err
		}
	}
	if err := unix.Mount("none", "/dev", "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	for _, dev := range kept {
		if err := m.bind(filepath.Join(m.root, filepath.Base(dev)), dev); err != nil {
			return err
		}
	}
	if err := os.Mkdir(m.nodes, 0o755); err != nil {
		return err
	}
	if m.real {
		return m.realNodes()
	}
	files := map[string]string{"class/infiniband_verbs/abi_version": "6"}
	for i := range 2 {
		device, char := "class/infiniband/"+deviceName(i), "class/infiniband_verbs/uverbs"+strconv.Itoa(i)
		for file, text := range map[string]string{
			char + "/ibdev": deviceName(i), char + "/dev": "1:7", char + "/abi_version": "1",
			device + "/node_type": "1: CA", device + "/node_guid": "9803:9b03:0001:000" + strconv.Itoa(i),
			char + "/device/modalias":   "pci:v000015B3d0000101Bsv000015B3sd00000007bc02sc07i00",
			device + "/device/modalias": "pci:v000015B3d0000101Bsv000015B3sd00000007bc02sc07i00",
			device + "/device/infiniband_verbs/uverbs" + strconv.Itoa(i) + "/dev": "1:7",
		} {
			files[file] = text
		}
	}
	for file, text := range files {
		if err := m.write(file, text); err != nil {
			return err
		}
	}
	for i := range 2 {
		link := filepath.Join(m.sysfs, "class/infiniband_verbs/uverbs"+strconv.Itoa(i), "device/driver")
		if err := errors.Join(os.Symlink("/sys/bus/pci/drivers/mlx5_core", link), m.node(i)); err != nil {
			return err
		}
	}
	return nil
}

// realNodes makes the nodes of the kernel's devices.
func (m *machine) realNodes() error {
	for name, class := range map[string]string{"uverbs0": "infiniband_verbs/uverbs0", "uverbs1": "infiniband_verbs/uverbs1",
		"rdma_cm": "misc/rdma_cm"} {
		text, err := os.ReadFile(filepath.Join("/sys/class", class, "dev"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var major, minor uint32
		if _, scan := fmt.Sscanf(string(text), "%d:%d", &major, &minor); err != nil || scan != nil {
			return errors.Join(err, scan)
		}
		path := filepath.Join(m.nodes, name)
		if err := errors.Join(unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(major, minor))), os.Chmod(path, 0o666)); err != nil {
			return err
		}
	}
	return nil
}

func deviceName(i int) string { return "mlx5_" + strconv.Itoa(i) }

// write makes a file of /sys.
func (m *machine) write(file, text string) error {
	path := filepath.Join(m.sysfs, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text+"\n"), 0o644)
}

// node makes the verbs node of a device: /dev/full, which can be opened but not written, and has the numbers of the tree.
func (m *machine) node(i int) error { return m.bind("/dev/full", m.nodeName(i)) }

func (m *machine) nodeName(i int) string { return filepath.Join(m.nodes, "uverbs"+strconv.Itoa(i)) }

// bind mounts one file over another, which it makes.
func (m *machine) bind(from, to string) error {
	if err := os.WriteFile(to, nil, 0o644); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return unix.Mount(from, to, "", unix.MS_BIND, "")
}

// lose removes a file of /dev/infiniband.
func (m *machine) lose(name string) error {
	path := filepath.Join(m.nodes, name)
	if m.real {
		return os.Remove(path)
	}
	return errors.Join(unix.Unmount(path, 0), os.Remove(path))
}

// close makes a node that nobody but root may open.
func (m *machine) close(name string) error {
	mode := fs.FileMode(0o600)
	if nested() {
		mode = 0 // the user is the owner
	}
	path := filepath.Join(m.nodes, name)
	if m.real {
		return os.Chmod(path, mode)
	}
	return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, mode))
}

// nested reports whether the root of this process is the user of a namespace.
func nested() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		return false
	}
	var inner, outer, n uint64
	_, err = fmt.Sscan(string(text), &inner, &outer, &n)
	return err == nil && n == 1
}

// hide covers a folder with an empty one.
func hide(folder string) error { return unix.Mount("none", folder, "tmpfs", 0, "mode=0755") }

// again runs the program as a user without privileges.
func (e environment) again(root string) error {
	attr := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if nested() {
		attr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: 0, Size: 1}},
		}
	}
	for dir := root; dir != "/" && dir != "/tmp"; dir = filepath.Dir(dir) { // so that the user sees the tree
		if err := os.Chmod(dir, 0o755); err != nil {
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := child(ctx, e.name, root, attr, envReady+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
