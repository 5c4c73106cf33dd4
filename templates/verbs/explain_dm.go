//go:build ignore

//verbsgen:with DM ibv_alloc_dm capabilities

package verbs

import (
	"fmt"
	"syscall"
)

// explainAllocDM says how much the device has, and how much of it is taken here.
func (dev *Device) explainAllocDM(errno syscall.Errno, attr *cAllocDMAttr) []string {
	caps := dev.capabilities()
	if errno == syscall.EINVAL && attr.log_align_req > 0 {
		return []string{fmt.Sprintf("log_align_req %d may be more than the device can align to; ask for less", attr.log_align_req)}
	}
	if errno != syscall.ENOMEM && errno != syscall.ENOSPC || caps == nil || caps.max_dm_size == 0 {
		return nil
	}
	var held uint64
	count := 0
	for _, child := range dev.h.Children() {
		if dm, ok := child.(*DM); ok {
			length, _ := dm.mem.Length()
			held += length
			count++
		}
	}
	return []string{fmt.Sprintf("the device has %d bytes of device memory (max_dm_size), of which this handle of it holds %d in %d "+
		"objects, and other programs may hold more; close what is not needed, or ask for less", caps.max_dm_size, held, count)}
}
