//go:build ignore

//verbsgen:with ibv_query_port ibv_query_gid

package verbs

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// path is the port and the GID table that a path begins with; known is false where the device does not say.
func (dev *Device) path(portNum uint8, index int) (p fail.Path, known bool) {
	var port cPortAttr
	if portNum == 0 || dev.lib.fn[symIbv_query_port] == 0 ||
		rawQueryPort(dev.lib.fn[symIbv_query_port], dev.h.C, portNum, unsafe.Pointer(&port)) != 0 {
		return p, false
	}
	return fail.Path{
		Src: dev.lib.src, Device: dev.h.Label(), Port: portNum, Index: index,
		Active: port.state == uint32(PortStateActive), State: PortState(port.state).String(),
		Ethernet: port.link_layer == uint8(LinkLayerEthernet), Entries: int(port.gid_tbl_len),
		GID: func(index int) (gid [16]byte, known bool) {
			if dev.lib.fn[symIbv_query_gid] == 0 {
				return gid, false
			}
			n, _ := rawQueryGID(dev.lib.fn[symIbv_query_gid], dev.h.C, portNum, int32(index), unsafe.Pointer(&gid))
			return gid, n >= 0
		},
	}, true
}
