//go:build ignore

//verbsgen:face struct ibv_qp *ibv_open_qp(struct ibv_context *, struct ibv_qp_open_attr *)
//verbsgen:needs QP

package verbs

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// OpenQP opens a queue pair of type XRC_RECV that exists in an XRC domain. Close closes this handle. The queue pair lives as long as a
// handle of it is open, in whatever process. The handle learns the state of the queue pair by QP.Query.
//
// On mlx5 it returns errors.ErrUnsupported: libmlx5 of every release up to 65.0 ends the process when such a handle is closed, and so
// would CloseAll of the device.
//
// [rules ibv_open_qp]
//
// C: ibv_open_qp, ibv_open_qp(3).
func (dev *Device) OpenQP(qpOpenAttr *QPOpenAttr) (*QP, error) {
	const verb = "ibv_open_qp"
	if err := dev.base().Enter(verb); err != nil {
		return nil, err
	}
	defer dev.h.Exit()
	if qpOpenAttr == nil {
		return nil, fail.NilValue(verb, "QPOpenAttr", "make one with NewQPOpenAttr")
	}
	attrC := qpOpenAttr.c
	if qpOpenAttr.xrcd != nil {
		if err := qpOpenAttr.xrcd.base().EnterBeside(&dev.h, verb, "xrcd"); err != nil {
			return nil, err
		}
		defer qpOpenAttr.xrcd.h.Exit()
		attrC.xrcd = uintptr(qpOpenAttr.xrcd.h.C)
		attrC.comp_mask |= 0x2 // IBV_QP_OPEN_ATTR_XRCD
	}
	if err := dev.judgeOpenQP(&attrC); err != nil {
		return nil, err
	}
	if err := fail.OpenQP(verb, dev.lib.src, dev.h.Label()); err != nil {
		return nil, err
	}
	ptr, errno := rawOpenQP(dev.h.C, unsafe.Pointer(&attrC))
	if ptr == nil {
		return nil, dev.removed(fail.Failed(verb, errno, nil))
	}
	o := newQP(dev, ptr)
	o.xrcd = qpOpenAttr.xrcd
	if err := o.h.Adopt(&dev.h.Node, qpOpenAttr.xrcd.base().Optional()); err != nil {
		return nil, err
	}
	return o, nil
}
