//go:build ignore

//verbsgen:with OpsWR

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/dpath"

// OpsBatch is the memory of operations on tags, which SRQ.PostOps posts.
// Its methods are Close, From, Len and WR: go doc github.com/verbsgen/verbsgen/runtime/gensupport/dpath.OpsBatch
type OpsBatch = dpath.OpsBatch

// OpsRange is a range of the operations of a batch. The From method of the batch returns one.
type OpsRange = dpath.OpsRange

// NewOpsBatch makes a batch of wrs operations with sgesPerWR elements each.
func NewOpsBatch(wrs, sgesPerWR int) (*OpsBatch, error) { return dpath.NewOpsBatch(wrs, sgesPerWR) }

// Never called: see that of SendBatch.
var _ = func(b *OpsBatch) {
	b.WR(b.Len()).Add(0, 0, 0, 0).SGE(0, 0, 0).Flags(0).Unexpected(0).Del(0, 0).Sync(0, 0)
	b.From(0, 0)
}
