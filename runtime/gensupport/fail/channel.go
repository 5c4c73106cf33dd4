package fail

import (
	"path/filepath"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// modules are the kernel modules that make nodes of /dev/infiniband.
var modules = map[string]string{"rdma_cm": "rdma_ucm"}

// NoNode returns the error of a call that opens a file of /dev/infiniband, and failed with errno.
func NoNode(verb string, src any, node string, errno syscall.Errno) error {
	s, ok := systemOf(src)
	if !ok {
		return Failed(verb, errno, nil)
	}
	if at, text := s.tryNode(node, modules[node], filepath.Join(s.sysfs, "class/misc", node)); text != "" {
		return &verr.Error{Verb: verb, Errno: at, Msg: text}
	}
	if errno != syscall.ENODEV {
		return Failed(verb, errno, nil)
	}
	s.library = "" // src is another one
	msg := "no RDMA device was found"
	if why := s.unlisted("", nil); why != "" {
		msg += "; " + why
	}
	return &verr.Error{Verb: verb, Errno: errno, Msg: msg}
}
