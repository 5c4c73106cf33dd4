//go:build ignore

//verbsgen:face int ibv_bind_mw(struct ibv_qp *, struct ibv_mw *, struct ibv_mw_bind *)
//verbsgen:calls int ibv_post_send(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)
//verbsgen:names MW MR

package verbs

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Bind makes w a request that binds the window to the memory that mwBind describes, with the key rkey. rkey is the key of the window with
// another last byte (dpath.NextRKey). Once the request is posted, the window has the new key. If the completion is an error, set the old
// key again (SetRKey). Window and region must stay open until the request has completed; a post after a Close is refused (os.ErrClosed).
// Invalidate or close the window before the queue pair: otherwise soft-RoCE takes 50 seconds to destroy the queue pair.
//
// C: ibv_post_send, ibv_post_send(3).
func (mw *MW) Bind(w dpath.SendWR, rkey uint32, mwBind MWBindAttr) error {
	const verb = "ibv_post_send"
	if w == (dpath.SendWR{}) {
		return fail.NilValue(verb, "the request", "take one from a batch by WR")
	}
	if err := mw.base().Enter(verb); err != nil {
		return err
	}
	defer mw.h.Exit()
	mr := mwBind.MR
	if err := mr.base().EnterBeside(&mw.h, verb, "bind_info.mr"); err != nil {
		return err
	}
	defer mr.h.Exit()
	var bind cMWBind
	mwBind.to(&bind)
	bind.bind_info.mr = uintptr(mr.h.C)
	dpath.Bind(w, rkey, unsafe.Pointer(&bind), &mw.named, &mr.named)
	return nil
}
