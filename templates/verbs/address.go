//go:build ignore

//verbsgen:with ibv_post_send AH
//verbsgen:gate AH dpath.Address

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errAddress = fail.Once{Verb: "ibv_post_send", Kind: "AH"}

// Address has a SEND on an unreliable datagram queue pair go to the queue pair qpn behind the address handle,
// with its qkey. The handle must stay open until the request has completed; a post after its Close is refused
// (os.ErrClosed). The error is os.ErrClosed for a handle that is closed, and syscall.EINVAL for nil.
//
// C: ibv_post_send, ibv_post_send(3).
func (ah *AH) Address(w dpath.SendWR, qpn, qkey uint32) error {
	if ah == nil {
		return errAddress.Nil()
	}
	if w == (dpath.SendWR{}) {
		return fail.NilValue("ibv_post_send", "the request", "take one from a batch by WR")
	}
	if !ah.gate.IsOpen() {
		return errAddress.Errno(ah.gate.Refusal())
	}
	ah.gate.To(w, qpn, qkey)
	return nil
}
