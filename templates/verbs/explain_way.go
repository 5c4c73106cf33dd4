//go:build ignore

//verbsgen:with ID rdma_resolve_addr

package verbs

import (
	"net/netip"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Unreached returns likely causes of an event of type ADDR_ERROR, ROUTE_ERROR or UNREACHABLE, or of one that does not come: the address and
// the route to the peer, the device there, its port and the next hop, as this machine has them now. It is empty if nothing is wrong with
// these.
func (id *ID) Unreached(peer netip.Addr) []string {
	if id == nil || id.lib == nil {
		return nil
	}
	return fail.Unreached(id.lib.src, peer)
}
