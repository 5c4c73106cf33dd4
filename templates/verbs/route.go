//go:build ignore

//verbsgen:with AHAttr ibv_query_port ibv_query_gid

package verbs

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainRoute says what is wrong with the port and the GID of a path that the device refused, as far as it knows.
func (dev *Device) explainRoute(errno syscall.Errno, at *cAHAttr) []string {
	var port cPortAttr
	if at.port_num == 0 || dev.lib.fn[symIbv_query_port] == 0 {
		return nil // without a path
	}
	if rawQueryPort(dev.lib.fn[symIbv_query_port], dev.h.C, at.port_num, unsafe.Pointer(&port)) != 0 {
		return nil
	}
	return fail.Route(errno, fail.Path{
		Port: at.port_num, Active: port.state == uint32(PortStateActive), State: PortState(port.state).String(),
		Ethernet: port.link_layer == uint8(LinkLayerEthernet), Global: at.is_global != 0, Index: int(at.grh.sgid_index),
		Entries: int(port.gid_tbl_len), GID: func(index int) (gid [16]byte, known bool) {
			if dev.lib.fn[symIbv_query_gid] == 0 {
				return gid, false
			}
			n, _ := rawQueryGID(dev.lib.fn[symIbv_query_gid], dev.h.C, at.port_num, int32(index), unsafe.Pointer(&gid))
			return gid, n >= 0
		},
	})
}
