//go:build ignore

//verbsgen:with ibv_reg_dmabuf_mr

package verbs

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// explainRegDMABufMR looks at the descriptor.
func (pd *PD) explainRegDMABufMR(errno syscall.Errno, offset, length, _ uint64, fd int, _ DMABufAccess) []string {
	return fail.DMABuf{FD: fd, Offset: offset, Length: length}.Explain(pd.lib.src, errno, "/proc/self")
}
