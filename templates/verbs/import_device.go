//go:build ignore

//verbsgen:face struct ibv_context *ibv_import_device(int)
//verbsgen:reads struct ibv_context, struct ibv_device

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/bridge"
	"github.com/verbsgen/verbsgen/runtime/gensupport/cmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// importedContext is the front of struct ibv_context, importedDevice that of struct ibv_device.
type (
	importedContext struct{ device *importedDevice }
	importedDevice  struct {
		_    [2]uintptr // _ops
		_    [2]int32   // node_type, transport_type
		name [64]byte
	}
)

// ImportDevice opens a context over the command channel of another context, whose objects it can then import.
//
//   - cmdFD: CmdFD of the other context, or a duplicate that came from another process. The new context has a
//     duplicate of its own; cmdFD stays the caller's.
//
// Since rdma-core 31.0; with an older library it returns errors.ErrUnsupported.
//
// [rules ibv_import_device]
//
// C: ibv_import_device, ibv_import_device(3).
func (l *Lib) ImportDevice(cmdFD int) (*Device, error) {
	l = object.OrZero(l)
	const verb = "ibv_import_device"
	if l.fn[symIbv_import_device] == 0 {
		return nil, l.missing(verb, symIbv_import_device)
	}
	if int(int32(cmdFD)) != cmdFD {
		return nil, fail.OutOfRange(verb, "cmd_fd", cmdFD)
	}
	if err := l.judgeImportDevice(cmdFD); err != nil {
		return nil, err
	}
	own, err := bridge.DuplicateFD(verb, "cmd_fd", cmdFD)
	if err != nil {
		return nil, err
	}
	ptr, errno := rawImportDevice(l.fn[symIbv_import_device], int32(own))
	if ptr == nil {
		bridge.RefusedFD(own, cmdFD)
		return nil, fail.Failed(verb, errno, func() []string {
			return fail.Causes(errno, fail.Cause{Errno: syscall.EOPNOTSUPP,
				Text: "the provider of the device does not share one between processes; open the device by its name"})
		})
	}
	o := newDevice(l, ptr)
	if err := o.h.Adopt(); err != nil {
		return nil, err
	}
	if device := (*importedContext)(ptr).device; device != nil {
		o.h.SetLabel(cmem.Text(device.name[:]))
	}
	return o, nil
}
