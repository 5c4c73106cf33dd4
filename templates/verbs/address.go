//go:build ignore

//verbsgen:with ibv_post_send AH
//verbsgen:gate AH dpath.Address

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

var errAddress = fail.Once{Verb: "ibv_post_send", Kind: "AH"}

// Address sets the destination of a SEND on an unreliable datagram queue pair: queue pair number qpn at the peer of the address handle,
// with the key qkey of that queue pair. The handle must stay open until the request has completed; a post after its Close is refused
// (os.ErrClosed). Address returns os.ErrClosed if the handle is closed, and syscall.EINVAL if it is nil.
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
