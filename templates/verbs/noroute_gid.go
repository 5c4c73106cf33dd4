//go:build ignore

//verbsgen:with AHAttr ibv_query_port
//verbsgen:without ibv_query_gid

package verbs

import "syscall"

// explainRoute would ask for the port and its GIDs, for which this package has no functions.
func (dev *Device) explainRoute(syscall.Errno, *cAHAttr) []string { return nil }
