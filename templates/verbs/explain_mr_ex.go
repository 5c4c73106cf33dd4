//go:build ignore

//verbsgen:with ibv_reg_mr_ex

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainRegMREx looks at the descriptor, if one was given.
func (pd *PD) explainRegMREx(errno syscall.Errno, attr *cMRInitAttr) []string {
	const fd = 0x4 // IBV_REG_MR_MASK_FD
	if attr.comp_mask&fd == 0 {
		return nil
	}
	return fail.DMABuf{FD: int(attr.fd), Offset: attr.fd_offset, Length: attr.length}.Explain(pd.lib.src, errno)
}
