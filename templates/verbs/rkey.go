//go:build ignore

//verbsgen:with MW

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// NextRKey returns the key after a key of a memory window: it changes the last byte, which the program chooses.
func NextRKey(rkey uint32) uint32 { return dpath.NextRKey(rkey) }
