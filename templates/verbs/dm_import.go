//go:build ignore

//verbsgen:face struct ibv_dm *ibv_import_dm(struct ibv_context *, uint32_t)
//verbsgen:calls void ibv_unimport_dm(struct ibv_dm *)

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// ImportDM imports device memory that another context of the same device file allocated.
//
//   - dmHandle: Handle of the original DM.
//   - length: length of the device memory in bytes; 0 if it is not known. Then copies go through the provider,
//     unless the provider reports the length.
//
// Since rdma-core 35.0; with an older library the error is errors.ErrUnsupported.
//
// [rules ibv_import_dm]
//
// C: ibv_import_dm, ibv_import_dm(3).
func (dev *Device) ImportDM(dmHandle uint32, length uint64) (*DM, error) {
	const verb = "ibv_import_dm"
	if err := dev.base().Enter(verb); err != nil {
		return nil, err
	}
	defer dev.h.Exit()
	if dev.lib.fn[symIbv_import_dm] == 0 {
		return nil, dev.lib.missing(verb, symIbv_import_dm)
	}
	ptr, errno := rawImportDM(dev.lib.fn[symIbv_import_dm], dev.h.C, dmHandle)
	if ptr == nil {
		return nil, dev.removed(fail.Failed(verb, errno, func() []string {
			return fail.Causes(errno, fail.Cause{Errno: syscall.ENOENT,
				Text: "the handle must be that of device memory that lives in the kernel context to which the device context belongs"})
		}))
	}
	o := newDM(dev, ptr)
	o.h.End = o.unimportDM
	o.attach(ptr, length, length != 0)
	if err := o.h.Adopt(&dev.h.Node); err != nil {
		return nil, err
	}
	return o, nil
}

// unimportDM ends the C object by ibv_unimport_dm.
func (dm *DM) unimportDM() error {
	if dm.lib.fn[symIbv_unimport_dm] == 0 {
		return dm.lib.missing("ibv_unimport_dm", symIbv_unimport_dm)
	}
	rawUnimportDM(dm.lib.fn[symIbv_unimport_dm], dm.h.C)
	return nil
}

// Unimport closes the handle without touching the device memory, even if this handle allocated it. Call it
// after another context's Destroy. Close of an imported handle does the same.
//
// C: ibv_unimport_dm, ibv_import_dm(3).
func (dm *DM) Unimport() error { return dm.base().CloseBy("ibv_unimport_dm", dm.unimportDM, false) }

// Destroy destroys the device memory in the kernel, even if this handle imported it, and closes the handle. After
// that, every other handle of the same memory can only be closed with Unimport.
//
// C: ibv_free_dm, ibv_alloc_dm(3).
func (dm *DM) Destroy() error { return dm.base().CloseBy("ibv_free_dm", dm.freeDM, false) }
