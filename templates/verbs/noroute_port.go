//go:build ignore

//verbsgen:with AHAttr
//verbsgen:without ibv_query_port

package verbs

import "syscall"

// explainRoute would ask for the port and its GIDs, for which this package has no functions.
func (dev *Device) explainRoute(syscall.Errno, *cAHAttr) []string { return nil }
