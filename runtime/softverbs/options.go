package softverbs

import (
	"fmt"
	"slices"
	"syscall"
)

// Option sets up a Device. A mistake in one is kept and answered by Device.Err.
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
	oneKey                   bool
}

type failure struct {
	verb  string
	nth   uint64
	errno syscall.Errno
}

type settings struct {
	devices  []*device
	at       *device // the one that options speak of
	release  string
	without  []string
	failures []failure
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
	capFlushGlobal     = 1 << 38
	capFlushPersistent = 1 << 39
)

const (
	defaultName = "soft0"
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
		capFlags:      capRNRNakGen | capSRQResize | capFlushGlobal | capFlushPersistent,
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
	for _, o := range opts {
		if err := o(s); err != nil {
			return s, err
		}
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

func set(f func(*device)) Option {
	return func(s *settings) error {
		f(s.at)
		return nil
	}
}

// Name is the device's name; "soft0" when not given.
func Name(name string) Option {
	return func(s *settings) error {
		if name == "" || len(name) > nameMax {
			return fmt.Errorf("softverbs: device name %q: a name has 1 to %d bytes", name, nameMax)
		}
		s.at.name = name
		return nil
	}
}

// AnotherDevice adds a device to the end of the list. Of the options only those that describe a device have a place in
// opts; it starts from the same defaults as the first one.
func AnotherDevice(name string, opts ...Option) Option {
	return func(s *settings) error {
		before := s.at
		defer func() { s.at = before }()
		s.at = newDevice(name)
		s.devices = append(s.devices, s.at)
		for _, o := range append([]Option{Name(name)}, opts...) {
			if err := o(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// NoDevices makes the device list empty, which is not an error.
func NoDevices() Option {
	return func(s *settings) error {
		s.devices = nil
		return nil
	}
}

// GUID is the node GUID in host byte order.
func GUID(guid uint64) Option { return set(func(d *device) { d.guid = guid }) }

// Driver is the device's number in enum rdma_driver_id. An allocator of a parent domain finds it in the upper half of
// the resource type; 14 (RXE) when not given.
func Driver(id uint32) Option { return set(func(d *device) { d.driver = id }) }

// MaxDMSize is the device memory in bytes (max_dm_size); 4 MiB when not given, 0 for a device without. One request
// beyond it is refused with EINVAL, as by mlx5; what others left too little for with ENOMEM.
func MaxDMSize(bytes uint64) Option { return set(func(d *device) { d.maxDMSize = bytes }) }

// DMAlign is the largest log_align_req that AllocDM grants, 0 to 30; 12 when not given.
func DMAlign(log uint32) Option {
	return func(s *settings) error {
		if log > 30 {
			return fmt.Errorf("softverbs: DMAlign(%d): the logarithm of an alignment is at most 30", log)
		}
		s.at.dmMaxLogAlign = log
		return nil
	}
}

// DMCopyAlign is what offsets and lengths of copies to and from device memory must be multiples of: a power of two, 4
// when not given, as with mlx5; 1 for none.
func DMCopyAlign(bytes uint32) Option {
	return func(s *settings) error {
		if bytes == 0 || bytes&(bytes-1) != 0 {
			return fmt.Errorf("softverbs: DMCopyAlign(%d): not a power of two", bytes)
		}
		s.at.dmCopyAlign = bytes
		return nil
	}
}

// DMRegionAlign is what offset and length of a region over device memory must be multiples of; 1 when not given.
func DMRegionAlign(bytes uint64) Option {
	return set(func(d *device) { d.dmRegionAlign = max(bytes, 1) })
}

// MaxMRSize is max_mr_size in bytes; a longer region is refused with EINVAL. 1 TiB when not given.
func MaxMRSize(bytes uint64) Option { return set(func(d *device) { d.maxMRSize = bytes }) }

// MemlockLimit makes registration fail with ENOMEM when more than so many bytes would be pinned at a time, as
// RLIMIT_MEMLOCK does; 0, and when not given: no limit.
func MemlockLimit(bytes uint64) Option { return set(func(d *device) { d.memlock = bytes }) }

// CapFlags is device_cap_flags_ex, whose lower half is device_cap_flags. Bits 38 and 39 decide whether regions may have
// the flush accesses, bit 13 whether shared receive queues can be resized. When not given: RNR NAK generation (bit 12) and those
// three.
func CapFlags(flags uint64) Option { return set(func(d *device) { d.capFlags = flags }) }

// AtomicCap is a value of enum ibv_atomic_cap; 1 (HCA) when not given. With 0 the peer's atomics fail.
func AtomicCap(atomic uint32) Option { return set(func(d *device) { d.atomicCap = atomic }) }

// Ports is the number of ports, all of them active; 1 when not given.
func Ports(n uint32) Option { return set(func(d *device) { d.ports = n }) }

// ODP switches on-demand paging on: general is the mask of enum ibv_odp_general_caps (1 support, 2 implicit), the
// others are the per-transport masks. When not given, ON_DEMAND is refused with EOPNOTSUPP.
func ODP(general uint64, rc, uc, ud uint32) Option {
	return set(func(d *device) { d.odpGeneral, d.odpRC, d.odpUC, d.odpUD = general, rc, uc, ud })
}

// MRUnsupported is the mask of access flags that a registration by address answers with EOPNOTSUPP. When not given:
// ZERO_BASED and HUGETLB, as Linux 6.12 does; HUGETLB together with ON_DEMAND is accepted whatever the mask, but never for an
// implicit region. Flags left out of the mask are accepted and ignored, as Linux 6.1 does.
func MRUnsupported(flags uint32) Option { return set(func(d *device) { d.mrUnsupported = flags }) }

// MRUnknown is the mask of access flags that a registration answers with EINVAL, as a kernel that does not know them does;
// 0 when not given.
func MRUnknown(flags uint32) Option { return set(func(d *device) { d.mrUnknown = flags }) }

// MaxMsgSize is max_msg_sz of the ports in bytes; 2 GiB when not given.
func MaxMsgSize(bytes uint32) Option { return set(func(d *device) { d.maxMsgSize = bytes }) }

// OneKey makes lkey and rkey of a region one number, and rkey 0 without a right for peers, as soft-RoCE does. When not given,
// the two differ, so that one taken for the other is found out.
func OneKey() Option { return set(func(d *device) { d.oneKey = true }) }

// WithoutRereg makes changes of a region in place answer EOPNOTSUPP.
func WithoutRereg() Option { return set(func(d *device) { d.noRereg = true }) }

// WithoutImport makes the import of a context, and of objects into one, answer EOPNOTSUPP.
func WithoutImport() Option { return set(func(d *device) { d.noImport = true }) }

// WithoutDMABuf makes registration by descriptor answer EOPNOTSUPP.
func WithoutDMABuf() Option { return set(func(d *device) { d.noDMABuf = true }) }

// WithoutThreadDomains is a device that has neither thread domains nor parent domains.
func WithoutThreadDomains() Option { return set(func(d *device) { d.noTD = true }) }

// WithoutNullMR is a device that has no null region.
func WithoutNullMR() Option { return set(func(d *device) { d.noNullMR = true }) }

// Fail makes the nth call of a verb from now on fail with errno, once; n counts from 1, and 0 stands for each call.
// Verbs are named in C ("ibv_alloc_dm", "ibv_memcpy_to_dm"); "ibv_reg_mr" stands for its iova forms too. It may be given
// several times.
func Fail(verb string, nth uint64, errno syscall.Errno) Option {
	return func(s *settings) error {
		s.failures = append(s.failures, failure{verb, nth, errno})
		return nil
	}
}

// WithoutSymbol leaves exported functions out of the library.
func WithoutSymbol(names ...string) Option {
	return func(s *settings) error {
		s.without = append(s.without, names...)
		return nil
	}
}

// WithoutOp leaves operations out of verbs_context ("alloc_dm"), as a provider does that lacks them.
func WithoutOp(ops ...string) Option {
	return func(s *settings) error {
		s.absent = append(s.absent, ops...)
		return nil
	}
}

// Override puts the C function at addr in the place of an operation of verbs_context ("alloc_dm", "free_dm",
// "reg_dm_mr", ...), in each context opened later. It must have the operation's prototype.
func Override(op string, addr uintptr) Option {
	return func(s *settings) error {
		if addr == 0 {
			return fmt.Errorf("softverbs: Override(%q, 0): no function there; WithoutOp leaves an operation out", op)
		}
		s.override[op] = addr
		return nil
	}
}

// Release imitates an older rdma-core: "33.2", "44.0", "56.1" or "65.0", the default. verbs_context and
// ibv_port_attr have that release's size, and functions that came later are missing.
func Release(name string) Option {
	return func(s *settings) error {
		if _, ok := releases[name]; !ok {
			return fmt.Errorf("softverbs: Release(%q): known are 33.2, 44.0, 56.1 and 65.0", name)
		}
		s.release = name
		return nil
	}
}
