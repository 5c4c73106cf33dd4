//go:build ignore

//verbsgen:with CQ CompChannel

package verbs

import "github.com/verbsgen/verbsgen/runtime/gensupport/object"

// Channel returns the completion channel with which the queue was made, nil without one.
func (cq *CQ) Channel() *CompChannel {
	channel, _ := object.ParentOf[*CompChannel](cq.base())
	return channel
}
