//go:build ignore

//verbsgen:with ibv_create_ah ibv_query_port ibv_query_gid

package verbs

import "syscall"

// explainCreateAH explains the path.
func (pd *PD) explainCreateAH(errno syscall.Errno, attr *cAHAttr) []string {
	return pd.dev.explainPath(errno, attr)
}
