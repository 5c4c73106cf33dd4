//go:build linux && race

package direct

import "sync/atomic"

func publish(p *uint32, v uint32)  { atomic.StoreUint32(p, v) }
func record(rec *uint32, v uint32) { atomic.StoreUint32(rec, v) }
func loaded()                      {}
