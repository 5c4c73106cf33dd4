//go:build linux

package direct

import "sync/atomic"

// publish stores v after all earlier loads and stores.
func publish(p *uint32, v uint32) { atomic.StoreUint32(p, v) }

// record writes the index of a queue where the device reads it, after what it stands for.
//
//go:noescape
func record(rec *uint32, v uint32)

// loaded orders the load of the owner of a completion before those of its other fields.
func loaded()
