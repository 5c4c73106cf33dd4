//go:build ignore

//verbsgen:with ibv_post_send ibv_query_port ibv_query_qp
//verbsgen:field QP datagram atomic.Uint32 // largest payload of a datagram, 0 until a hint needs it

package verbs

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// leastMTU is the payload that each port takes.
const leastMTU = 256

// hintPostSend reports a datagram that is longer than a packet, which verb posted.
func (qp *QP) hintPostSend(verb string, r dpath.SendRange) {
	if qp.made == nil || qp.made.qp_type != uint32(QPTypeUD) {
		return
	}
	most := qp.datagram.Load()
	if most == 0 {
		if bytes := dpath.Longest(r); bytes <= leastMTU {
			return
		}
		info, _, err := qp.Query()
		if err != nil {
			return
		}
		port, err := qp.dev.QueryPort(info.PortNum)
		if err != nil {
			return
		}
		most = uint32(port.ActiveMTU.Bytes())
		qp.datagram.Store(most)
	}
	if bytes := dpath.Longest(r); most > 0 && bytes > uint64(most) {
		var v fail.Violations
		v.Add(&verr.Rule{ID: "ibv_post_send-datagram", Verb: verb, Subject: "wr.sg_list", Page: "ibv_post_send",
			Statement: "a datagram is not longer than the MTU of the port", Limit: "active_mtu",
			Fix: "send less: a device may report success and send nothing"}, bytes, uint64(most))
		qp.lib.lints.Report(v)
	}
}
