package fail

import (
	"strings"
	"syscall"
)

// capNetRaw is the number of CAP_NET_RAW in the capability sets of Linux.
const capNetRaw = 13

// NetRaw explains EPERM after a call that needs CAP_NET_RAW; what names what needs it.
func NetRaw(src any, errno syscall.Errno, what string) []string {
	if errno != syscall.EPERM {
		return nil
	}
	if _, ok := systemOf(src); !ok {
		return []string{what + " need CAP_NET_RAW, which the software device has with the option NetRaw"}
	}
	return texts(netRawText("/proc/self", what))
}

// netRawText looks at the process whose folder of /proc is given. The kernel asks for the capability in the first user namespace.
func netRawText(proc, what string) string {
	switch {
	case !capable(line(proc, "status"), capNetRaw):
		return what + " need CAP_NET_RAW, which this process does not have; give it (setcap cap_net_raw+ep PROGRAM, docker run " +
			"--cap-add=NET_RAW, AmbientCapabilities=)"
	case strings.Join(strings.Fields(line(proc, "uid_map")), " ") != "0 0 4294967295":
		return what + " need CAP_NET_RAW outside of a user namespace, such as that of a rootless container; run the program without one"
	}
	return ""
}
