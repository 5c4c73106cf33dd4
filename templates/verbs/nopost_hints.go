//go:build ignore

//verbsgen:with ibv_post_send
//verbsgen:without ibv_query_port ibv_query_qp

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// hintPostSend would ask for the MTU, for which this package has no functions.
func (qp *QP) hintPostSend(string, dpath.SendRange) {}
