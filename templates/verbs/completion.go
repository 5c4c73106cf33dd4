//go:build ignore

//verbsgen:with WC

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// WCError is the error of a completion that is not a success: WC.Err returns it.
type WCError = dpath.WCError

// GRHSize is the number of bytes in front of a datagram in the memory of a UD receive, with and without WCFlagGRH in WC.Flags.
// WC.ByteLen includes them.
const GRHSize = dpath.GRHSize
