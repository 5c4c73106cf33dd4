package verbs

type Leaky struct {
	h      object.Handle
	gate   gate.Gate      // want "a Close does not wait for calls by gate"
	wait   dpath.Sleepers // want "a Close does not end the waiting in wait"
	region dpath.Place    // want "a Close leaves elements of the region valid"
}

func newLeaky(dev *Device, c unsafe.Pointer) *Leaky {
	o := &Leaky{}
	o.h.Make(o, "Leaky", dev.h.Origin, c, "ibv_x", o.destroyLeaky)
	return o
}
