//go:build linux && !race

package direct

// publish stores v after all earlier loads and stores. On amd64 each store is, and a store of sync/atomic would be an exchange besides.
func publish(p *uint32, v uint32) { *p = v }

// record writes the index of a queue where the device reads it, after what it stands for.
func record(rec *uint32, v uint32) { *rec = v }

// loaded orders the load of the owner of a completion before those of its other fields.
func loaded() {}
