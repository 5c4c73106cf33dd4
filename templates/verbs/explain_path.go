//go:build ignore

//verbsgen:with AHAttr ibv_query_port ibv_query_gid

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainPath says what is wrong with a path that the device refused, as far as it knows.
func (dev *Device) explainPath(errno syscall.Errno, at *cAHAttr) []string {
	p, known := dev.path(at.port_num, int(at.grh.sgid_index))
	if !known {
		return nil // without a path
	}
	p.Global, p.DGID = at.is_global != 0, at.grh.dgid
	return fail.Route(errno, p)
}
