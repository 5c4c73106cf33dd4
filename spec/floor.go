package spec

// The floor: the oldest kernel and the oldest release of rdma-core that the verdicts of rules hold for. REFERENCE.md of this
// folder says why these. An error may be accepted below the floor, and nowhere else.
const FloorRelease = "28.0"

// FloorKernel is the oldest kernel that the verdicts of rules hold for.
var FloorKernel = Kernel{6, 1}

// floorRelease is FloorRelease, parsed.
var floorRelease = Kernel{28, 0}

// VFIO is mlx5 driven by the program itself, over VFIO, as a provider: no kernel looks at its calls. It is below the floor, as
// devices of it are made by mlx5dv_get_vfio_device_list and by nothing that is bound here.
const VFIO = "mlx5-vfio"

// Floor describes the floor for people.
func Floor() string { return "linux " + FloorKernel.String() + " and rdma-core " + FloorRelease }

// Below reports whether the platform is known to be below the floor.
func (at Platform) Below() bool {
	return at.Provider == VFIO || at.Kernel != (Kernel{}) && at.Kernel.Before(FloorKernel) ||
		at.Release != (Kernel{}) && at.Release.Before(floorRelease)
}

// Below reports whether every platform of the party is below the floor.
func (p *Party) Below() bool {
	ends := func(r Kernels, floor Kernel) bool { return r.End != (Kernel{}) && !floor.Before(r.End) }
	return p.Provider == VFIO || ends(p.Kernels, FloorKernel) || ends(p.Releases, floorRelease)
}
