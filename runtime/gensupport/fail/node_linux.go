package fail

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryNode opens a node, as libraries do, and closes it again. If that fails, it returns the errno and a text that says why and what
// to do; module is the kernel module that makes the node, and class the folder of sysfs that says so.
func (s system) tryNode(name, module, class string) (syscall.Errno, string) {
	node := filepath.Join(s.dev, name)
	// Not by os.OpenFile: that has Go's poller watch the device, and where no descriptor is left for the poller the program ends.
	fd, err := unix.Open(node, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(fd)
		return s.otherNode(node, class)
	}
	errno := syscall.ENOENT
	errors.As(err, &errno)
	switch errno {
	case syscall.ENOENT:
		return errno, s.missingNode(node, module, class)
	case syscall.EACCES:
		return errno, denied(node)
	case syscall.EPERM:
		return errno, node + " exists, but this process may not use the device, most likely since the container does not have it; " + give(node)
	case syscall.ENXIO, syscall.ENODEV:
		return errno, node + " leads to no driver; load the module " + module + ", or make the node anew with the numbers that " +
			class + "/dev has"
	}
	return errno, node + " cannot be opened"
}

// missingNode says why a node does not exist: the kernel has the device and the node is not here, or it has none.
func (s system) missingNode(node, module, class string) string {
	if _, err := os.Stat(class); err == nil {
		return "there is no " + node + ", although the kernel has the device (" + class + "); " + give(node)
	}
	return "there is no " + node + ", and no " + class + "; load the module " + module
}

// give says how a container gets a node.
func give(node string) string {
	return "give it to the container (docker run --device=" + node + ", in Kubernetes a device plugin), or outside of one have udev make it"
}

// otherNode finds a node that is not the device that sysfs names: a plain file, or one with other numbers.
func (s system) otherNode(node, class string) (syscall.Errno, string) {
	var st unix.Stat_t
	text, err := os.ReadFile(filepath.Join(class, "dev"))
	if err != nil || unix.Stat(node, &st) != nil {
		return 0, ""
	}
	want := strings.TrimSpace(string(text))
	have := fmt.Sprintf("%d:%d", unix.Major(st.Rdev), unix.Minor(st.Rdev))
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFCHR:
		return syscall.ENODEV, node + " is not a character device; make it anew with the numbers " + want + ", which " + class + "/dev has"
	case have != want:
		return syscall.ENODEV, node + " has the numbers " + have + ", and the device " + want + " (" + class + "/dev); make the node anew, or " +
			"start the container again"
	}
	return 0, ""
}

// denied says who may use a node, and how this process becomes one of them.
func denied(node string) string {
	var st unix.Stat_t
	if err := unix.Stat(node, &st); err != nil {
		return "this process may not look into " + filepath.Dir(node) + "; give it execute permission for that folder"
	}
	group := groupName(st.Gid)
	text := fmt.Sprintf("user %s may not read and write %s (owner %s, group %s, mode %04o)", userName(uint32(os.Geteuid())), node,
		userName(st.Uid), group, st.Mode&0o7777)
	if st.Mode&0o060 == 0o060 && st.Gid != 0 {
		return text + "; add the user to the group " + group + " and log in again"
	}
	return text + "; have udev give a group read and write permission (GROUP=\"rdma\", MODE=\"0660\"), and add the user to it"
}

func userName(id uint32) string {
	u, err := user.LookupId(strconv.Itoa(int(id)))
	if err != nil {
		return strconv.Itoa(int(id))
	}
	return u.Username
}

func groupName(id uint32) string {
	g, err := user.LookupGroupId(strconv.Itoa(int(id)))
	if err != nil {
		return strconv.Itoa(int(id))
	}
	return g.Name
}
