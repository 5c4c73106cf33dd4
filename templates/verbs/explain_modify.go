//go:build ignore

//verbsgen:with AHAttr PD QP ibv_modify_qp ibv_query_port ibv_query_gid capabilities

package verbs

import (
	"fmt"
	"syscall"
)

// explainModifyQP explains the path, and the reads that the queue pair is to serve.
func (qp *QP) explainModifyQP(errno syscall.Errno, attr *cQPAttr) []string {
	return append(qp.dev.explainPath(errno, &attr.ah_attr), qp.dev.explainReads(errno, int(attr.max_dest_rd_atomic))...)
}

// explainReads compares the READs and atomics of the queue pairs of this handle with what the device serves at a time.
func (dev *Device) explainReads(errno syscall.Errno, each int) []string {
	caps := dev.capabilities()
	if each == 0 || caps == nil || errno != syscall.EINVAL && errno != syscall.ENOMEM {
		return nil
	}
	most, pairs := int(caps.orig_attr.max_res_rd_atom), 0
	for _, child := range dev.h.Children() {
		if pd, ok := child.(*PD); ok {
			for _, below := range pd.h.Children() {
				if _, ok := below.(*QP); ok {
					pairs++
				}
			}
		}
	}
	if most == 0 || pairs*each <= most {
		return nil
	}
	return []string{fmt.Sprintf("the device serves %d READs and atomics of peers at a time (max_res_rd_atom), and %d queue pairs of this "+
		"handle would take %d with MaxDestRDAtomic %d each; set it lower", most, pairs, pairs*each, each)}
}
