package softverbs

import (
	"fmt"
	"slices"
	"syscall"
)

// Option configures a Device. Device.Err returns the error of a wrong option.
type Option func(*settings) error

// device is what one entry of the device list can do.
type device struct {
	name                     string
	guid                     uint64
	driver                   uint32
	maxDMSize                uint64
	dmMaxLogAlign            uint32
	dmCopyAlign              uint32
	dmRegionAlign            uint64
	maxMRSize                uint64
	capFlags                 uint64
	atomicCap                uint32
	ports                    uint32
	odpGeneral               uint64
	odpRC, odpUC, odpUD      uint32
	mrUnsupported            uint32
	mrUnknown                uint32
	maxMsgSize               uint32
	memlock                  uint64
	noDMABuf, noTD, noNullMR bool
	noRereg, noImport        bool
	noRaw, plainCQEx         bool
	netRaw                   bool
	oneKey                   bool
	freesGone                bool
	mlx5                     bool // queue pairs like those of mlx5
}

type settings struct {
	devices  []*device
	at       *device // the one that options speak of
	release  string
	without  []string
	faults   []func(*Device) error
	override map[string]uintptr
	absent   []string
}

// Bits of enum ibv_access_flags and of the device's capabilities that the defaults need.
const (
	accessZeroBased       = 1 << 5
	accessOnDemand        = 1 << 6
	accessHugeTLB         = 1 << 7
	accessFlushGlobal     = 1 << 8
	accessFlushPersistent = 1 << 9

	capRNRNakGen       = 1 << 12
	capSRQResize       = 1 << 13
	capXRC             = 1 << 20
	capFlushGlobal     = 1 << 38
	capFlushPersistent = 1 << 39
	capAtomicWrite     = 1 << 40
)

const (
	defaultName = "soft0"
	driverMLX5  = 1  // RDMA_DRIVER_MLX5
	driverRXE   = 14 // RDMA_DRIVER_RXE
	atomicHCA   = 1  // IBV_ATOMIC_HCA
	nameMax     = 63 // IBV_SYSFS_NAME_MAX with its NUL
)

// newDevice is the default: limits as a small mlx5 has for device memory, all else as soft-RoCE.
func newDevice(name string) *device {
	return &device{
		name:          name,
		driver:        driverRXE,
		maxDMSize:     4 << 20,
		dmMaxLogAlign: 12,
		dmCopyAlign:   4,
		dmRegionAlign: 1,
		maxMRSize:     1 << 40,
		capFlags:      capRNRNakGen | capSRQResize | capXRC | capFlushGlobal | capFlushPersistent | capAtomicWrite,
		atomicCap:     atomicHCA,
		ports:         1,
		mrUnsupported: accessZeroBased | accessHugeTLB,
		maxMsgSize:    1 << 31,
	}
}

func newSettings(opts []Option) (*settings, error) {
	s := &settings{release: newest, override: map[string]uintptr{}}
	s.at = newDevice(defaultName)
	s.devices = []*device{s.at}
	if err := s.apply(opts); err != nil {
		return s, err
	}
	for i, d := range s.devices {
		if slices.ContainsFunc(s.devices[:i], func(e *device) bool { return e.name == d.name }) {
			return s, fmt.Errorf("softverbs: two devices are called %q; give each its own Name", d.name)
		}
		if d.guid == 0 {
			d.guid = 0x0200_5eff_fe00_0001 + uint64(i)
		}
	}
	return s, nil
}

func (s *settings) apply(opts []Option) error {
	for _, o := range opts {
		if o == nil {
			continue
		}
		if err := o(s); err != nil {
			return err
		}
	}
	return nil
}

// always is an option that cannot be wrong, and set one of a device.
func always(f func(*settings)) Option {
	return func(s *settings) error {
		f(s)
		return nil
	}
}

func set(f func(*device)) Option { return always(func(s *settings) { f(s.at) }) }

// Name sets the name of the device; the default is "soft0".
func Name(name string) Option {
	return func(s *settings) error {
		if name == "" || len(name) > nameMax {
			return fmt.Errorf("softverbs: device name %q: a name has 1 to %d bytes", name, nameMax)
		}
		s.at.name = name
		return nil
	}
}

// AnotherDevice adds a device at the end of the list. opts may have only options that describe a device. The device has
// the same defaults as the first one.
func AnotherDevice(name string, opts ...Option) Option {
	return func(s *settings) error {
		before := s.at
		defer func() { s.at = before }()
		s.at = newDevice(name)
		s.devices = append(s.devices, s.at)
		return s.apply(append([]Option{Name(name)}, opts...))
	}
}

// NoDevices makes the device list empty, which is no error of the verb.
func NoDevices() Option { return always(func(s *settings) { s.devices = nil }) }

// GUID sets the node GUID, in host byte order.
func GUID(guid uint64) Option {
	return func(s *settings) error {
		if guid == 0 {
			return fmt.Errorf("softverbs: GUID(0): no device has the GUID 0; leave the option out for the default")
		}
		s.at.guid = guid
		return nil
	}
}

// Driver sets the number of the driver in enum rdma_driver_id, which an allocator of a parent domain gets in the upper
// half of the resource type; the default is 14 (RXE).
func Driver(id uint32) Option { return set(func(d *device) { d.driver = id }) }

// MaxDMSize sets the size of the device memory in bytes (max_dm_size); the default is 4 MiB, and 0 means none. A larger
// request fails with EINVAL, as with mlx5; one for which too little is left fails with ENOMEM.
func MaxDMSize(bytes uint64) Option { return set(func(d *device) { d.maxDMSize = bytes }) }

// DMAlign sets the largest log_align_req that AllocDM accepts, 0 to 30; the default is 12.
func DMAlign(log uint32) Option {
	return func(s *settings) error {
		if log > 30 {
			return fmt.Errorf("softverbs: DMAlign(%d): the logarithm of an alignment is at most 30", log)
		}
		s.at.dmMaxLogAlign = log
		return nil
	}
}

// DMCopyAlign sets the alignment of copies to and from device memory: offsets and lengths must be multiples of it. It
// is a power of two; the default is 4, as with mlx5, and 1 allows all.
func DMCopyAlign(bytes uint32) Option {
	return func(s *settings) error {
		if bytes == 0 || bytes&(bytes-1) != 0 {
			return fmt.Errorf("softverbs: DMCopyAlign(%d): not a power of two", bytes)
		}
		s.at.dmCopyAlign = bytes
		return nil
	}
}

// DMRegionAlign sets the alignment of regions over device memory: offset and length must be multiples of it. The
// default is 1.
func DMRegionAlign(bytes uint64) Option {
	return set(func(d *device) { d.dmRegionAlign = max(bytes, 1) })
}

// MaxMRSize sets max_mr_size in bytes; a larger region fails with EINVAL. The default is 1 TiB.
func MaxMRSize(bytes uint64) Option { return set(func(d *device) { d.maxMRSize = bytes }) }

// MemlockLimit limits the bytes that can be pinned, like RLIMIT_MEMLOCK: registrations beyond it fail with ENOMEM. 0, the default, is no
// limit.
func MemlockLimit(bytes uint64) Option { return set(func(d *device) { d.memlock = bytes }) }

// CapFlags sets device_cap_flags_ex; its lower half is device_cap_flags. With bits 38 and 39 regions may have the flush
// accesses, with bit 13 shared receive queues can be resized, with bit 20 there is XRC. The default is these four, RNR NAK generation
// (bit 12) and atomic WRITE (bit 40), both of which the device has in any case.
func CapFlags(flags uint64) Option { return set(func(d *device) { d.capFlags = flags }) }

// AtomicCap sets a value of enum ibv_atomic_cap; the default is 1 (HCA). With 0 atomics of the peer fail.
func AtomicCap(atomic uint32) Option { return set(func(d *device) { d.atomicCap = atomic }) }

// Ports sets the number of ports, all of them active; the default is 1.
func Ports(n uint32) Option { return set(func(d *device) { d.ports = n }) }

// ODP switches on-demand paging on. general is a mask of enum ibv_odp_general_caps (1 support, 2 implicit), rc, uc and
// ud are the masks of each transport. Without this option ON_DEMAND fails with EOPNOTSUPP.
func ODP(general uint64, rc, uc, ud uint32) Option {
	return set(func(d *device) { d.odpGeneral, d.odpRC, d.odpUC, d.odpUD = general, rc, uc, ud })
}

// MRUnsupported sets the access flags with which a registration by address fails with EOPNOTSUPP. The default is
// ZERO_BASED and HUGETLB, as in Linux 6.12. HUGETLB together with ON_DEMAND is accepted whatever the mask, but never
// for an implicit region. Flags outside the mask are accepted and ignored, as in Linux 6.1.
func MRUnsupported(flags uint32) Option { return set(func(d *device) { d.mrUnsupported = flags }) }

// MRUnknown sets the access flags with which a registration fails with EINVAL, as in a kernel that does not know them;
// the default is 0.
func MRUnknown(flags uint32) Option { return set(func(d *device) { d.mrUnknown = flags }) }

// MaxMsgSize sets max_msg_sz of the ports in bytes; the default is 2 GiB. A longer message of a connection ends with
// IBV_WC_LOC_LEN_ERR, as on a card; soft-RoCE sends it all the same.
func MaxMsgSize(bytes uint32) Option { return set(func(d *device) { d.maxMsgSize = bytes }) }

// OneKey makes lkey and rkey of a region equal, and rkey 0 for a region without remote access, as soft-RoCE does. By
// default the two differ, so that tests notice when one is used for the other.
func OneKey() Option { return set(func(d *device) { d.oneKey = true }) }

// WithoutRereg makes changes of a region in place fail with EOPNOTSUPP.
func WithoutRereg() Option { return set(func(d *device) { d.noRereg = true }) }

// WithoutImport makes importing fail with EOPNOTSUPP, of a context and of objects such as a PD.
func WithoutImport() Option { return set(func(d *device) { d.noImport = true }) }

// WithoutDMABuf makes registration of a dma-buf fail with EOPNOTSUPP.
func WithoutDMABuf() Option { return set(func(d *device) { d.noDMABuf = true }) }

// WithoutThreadDomains makes a device without thread domains and parent domains.
func WithoutThreadDomains() Option { return set(func(d *device) { d.noTD = true }) }

// WithoutNullMR makes a device without null regions.
func WithoutNullMR() Option { return set(func(d *device) { d.noNullMR = true }) }

// WithoutRawPackets makes a device without queue pairs of raw packets.
func WithoutRawPackets() Option { return set(func(d *device) { d.noRaw = true }) }

// NetRaw acts as if the process had CAP_NET_RAW, which raw packet queue pairs and flows need. Without it both fail with EPERM, as on Linux.
func NetRaw() Option { return set(func(d *device) { d.netRaw = true }) }

// StandardFields makes a device whose extended completion queues support only the standard fields: no timestamps, VLANs or flow tags.
// Nor do they support IGNORE_OVERRUN.
func StandardFields() Option { return set(func(d *device) { d.plainCQEx = true }) }

// Fail makes the nth call of a verb fail with errno, counted from 1, or every call if n is 0. verb is the C name ("ibv_alloc_dm",
// "ibv_memcpy_to_dm"); "ibv_reg_mr" includes its iova forms. The option may be used several times.
func Fail(verb string, nth uint64, errno syscall.Errno) Option {
	return onOrder(func(d *Device) error { return d.Fail(verb, nth, errno) })
}

// WithoutSymbol removes exported functions from the library.
func WithoutSymbol(names ...string) Option {
	return always(func(s *settings) { s.without = append(s.without, names...) })
}

// WithoutOp removes operations from verbs_context ("alloc_dm"), as in a provider that lacks them.
func WithoutOp(ops ...string) Option {
	return always(func(s *settings) { s.absent = append(s.absent, ops...) })
}

// Override replaces an operation of verbs_context ("alloc_dm", "free_dm", "reg_dm_mr", ...) by the C function at addr,
// in each context that is opened later. The function must have the prototype of the operation.
func Override(op string, addr uintptr) Option {
	return func(s *settings) error {
		if addr == 0 {
			return fmt.Errorf("softverbs: Override(%q, 0): no function there; WithoutOp leaves an operation out", op)
		}
		s.override[op] = addr
		return nil
	}
}

// Release imitates the rdma-core release "33.2", "44.0", "56.1" or "65.0", the default: verbs_context and ibv_port_attr
// have the size of that release, and newer functions are missing.
func Release(name string) Option {
	return func(s *settings) error {
		if _, ok := releases[name]; !ok {
			return fmt.Errorf("softverbs: Release(%q): known are 33.2, 44.0, 56.1 and 65.0", name)
		}
		s.release = name
		return nil
	}
}
