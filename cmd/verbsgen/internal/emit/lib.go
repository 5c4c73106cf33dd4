package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// symConst names a symbol's index in the table of a Lib.
func symConst(s *model.Symbol) string {
	return "sym" + strings.ToUpper(s.Name[:1]) + s.Name[1:]
}

// libFile writes the loader, the table of symbols and the device list.
func (e *emitter) libFile() *goFile {
	g := e.newFile("lib.gen.go")
	e.symbolTable(g)
	g.add(`
// Symbols is where the functions of libibverbs come from: a loaded library, or a device made of software. Symbol gives
// the address of a C function, 0 when there is none; version is the symbol version asked for.
type Symbols interface {
	Symbol(name, version string) uintptr
}`)
	g.add(`
// Lib is a loaded libibverbs. It needs no Close: a library is never unloaded.
type Lib struct {
	src  Symbols // kept alive: it owns the functions
	name string
	fn   [numSymbols]uintptr
}`)
	g.add(`
// LoadOption changes what Load does.
type LoadOption func(*loadConfig)

type loadConfig struct{ path string }`)
	g.add(`
// Path makes Load take the library from a file instead of looking for libibverbs.so.1.
func Path(file string) LoadOption { return func(c *loadConfig) { c.path = file } }`)
	g.add(`
// Load finds libibverbs at run time. A process has one real libibverbs: loading it again gives the same one, loading
// another file is an error. Where there is no library the error is errors.ErrUnsupported and says what to install.
func Load(opts ...LoadOption) (*Lib, error) {
	var c loadConfig
	for _, o := range opts {
		o(&c)
	}
	l, err := dl.Open(c.path)
	if err != nil {
		return nil, err
	}
	return LoadFrom(l)
}`)
	g.add(`
// LoadFrom takes the functions from anywhere else, such as softverbs.New() in a test.
func LoadFrom(s Symbols) (*Lib, error) {
	if !haveC {
		return nil, &verr.Error{Msg: "verbs need linux on amd64 or arm64, and cgo", Err: errors.ErrUnsupported}
	}
	if s == nil {
		return nil, &verr.Error{Msg: "LoadFrom(nil); pass a source of symbols", Errno: syscall.EINVAL}
	}
	if e, ok := s.(interface{ Err() error }); ok && e.Err() != nil {
		return nil, e.Err()
	}
	l := &Lib{src: s, name: "the loaded library"}
	if p, ok := s.(interface{ String() string }); ok {
		l.name = p.String()
	}
	for i, sym := range symbols {
		l.fn[i] = s.Symbol(sym.name, sym.version)
	}
	return l, nil
}`)
	if e.byVerb["ibv_get_device_list"] != nil {
		e.deviceInfo(g)
		e.deviceList(g)
	}
	return g
}

func (e *emitter) symbolTable(g *goFile) {
	var consts, rows strings.Builder
	for _, s := range e.pkg.Symbols {
		fmt.Fprintf(&consts, "%s\n", symConst(s))
		fmt.Fprintf(&rows, "{%q, %q, %q},\n", s.Name, s.Version, s.Since)
	}
	body := strings.Replace(consts.String(), "\n", " = iota\n", 1)
	g.add("// Places in the table of functions.\nconst (\n%snumSymbols\n)", body)
	g.add(`
// symbols are the functions looked up: name, default version, and the first rdma-core release known to have it.
var symbols = [numSymbols]struct{ name, version, since string }{
%s}`, rows.String())
}

func (e *emitter) deviceInfo(g *goFile) {
	g.add(`
// DeviceInfo is an entry of the device list.
//
// C: struct ibv_device, ibv_get_device_list(3).
type DeviceInfo struct {
	// Name of the device in the kernel ("mlx5_0").
	Name string // name
	// DevName is the name of its verbs character device ("uverbs0").
	DevName string // dev_name
	// DevPath is the folder of the character device in sysfs.
	DevPath string // dev_path
	// IBDevPath is the folder of the device in sysfs.
	IBDevPath string // ibdev_path
	NodeType NodeType // node_type
	Transport TransportType // transport_type
	// GUID of the node in the host's byte order. C: ibv_get_device_guid(3).
	GUID uint64
	// Index of the device in the kernel, -1 where the kernel or the library tells none. C: ibv_get_device_index(3).
	Index int
}`)
}

func (e *emitter) deviceList(g *goFile) {
	g.add(`
// Devices lists the RDMA devices of the machine. A kernel without RDMA is an error that is errors.ErrUnsupported; an
// empty list means that the kernel has RDMA and no device.
//
// C: ibv_get_device_list, ibv_get_device_list(3).
func (l *Lib) Devices() ([]DeviceInfo, error) {
	var out []DeviceInfo
	err := l.eachDevice("ibv_get_device_list", func(_ unsafe.Pointer, info DeviceInfo) bool {
		out = append(out, info)
		return true
	})
	return out, err
}`)
	g.add(`
// OpenDevice opens the device of the given name.
//
// C: ibv_open_device, ibv_open_device(3).
func (l *Lib) OpenDevice(name string) (*Device, error) {
	const verb = "ibv_open_device"
	var (
		dev   *Device
		fail  error
		names []string
	)
	err := l.eachDevice(verb, func(c unsafe.Pointer, info DeviceInfo) bool {
		names = append(names, info.Name)
		if info.Name != name {
			return true
		}
		dev, fail = l.open(c, name)
		return false
	})
	if err != nil || fail != nil {
		return nil, errors.Join(err, fail)
	}
	if dev == nil {
		have := "there is none"
		if len(names) > 0 {
			have = "there is " + strings.Join(names, ", ")
		}
		return nil, &verr.Error{Verb: verb, Errno: syscall.ENODEV, Msg: "no device " + strconv.Quote(name) + "; " + have}
	}
	return dev, nil
}`)
	open := e.byVerb["ibv_open_device"]
	g.add(`
// open opens a device of the list.
func (l *Lib) open(c unsafe.Pointer, name string) (*Device, error) {
	const verb = "ibv_open_device"
	%sctx, errno := rawOpenDevice(%sc)
	if ctx == nil {
		return nil, verr.Failed(verb, errno, nil)
	}
	dev := newDevice(l, ctx)
	if err := dev.adopt(); err != nil {
		return nil, err
	}
	dev.node.SetLabel(name)
	return dev, nil
}`, e.missingCheck(open, "l", "return nil, "), e.fnArgs(open, "l"))
	list, free := e.byVerb["ibv_get_device_list"], e.byVerb["ibv_free_device_list"]
	g.add(`
// eachDevice calls f with every device, until it gives false.
func (l *Lib) eachDevice(verb string, f func(c unsafe.Pointer, info DeviceInfo) bool) error {
	%svar n int32
	list, errno := rawGetDeviceList(%sunsafe.Pointer(&n))
	if list != nil {
		defer rawFreeDeviceList(%slist)
	}
	if n == 0 && (list != nil || errno == syscall.ENOSYS) { // a library that cannot open files says that too
		if hint := verr.FilesHint(); hint != "" {
			return &verr.Error{Verb: verb, Errno: syscall.EMFILE, Msg: "no device was found, and " + hint}
		}
	}
	if list == nil {
		if errno == syscall.ENOSYS {
			return &verr.Error{Verb: verb, Errno: errno, Msg: "the kernel has no RDMA (no InfiniBand class in sysfs), or the process ran out of file descriptors; load the modules of the device (ib_uverbs)"}
		}
		return verr.Failed(verb, errno, nil)
	}
	for i := 0; i < int(n); i++ {
		c := *(*unsafe.Pointer)(unsafe.Add(list, i*8))
		if !f(c, l.info(c)) {
			return nil
		}
	}
	return nil
}`, e.missingCheck(list, "l", "return ")+e.missingCheck(free, "l", "return "), e.fnArgs(list, "l"), e.fnArgs(free, "l"))
	g.add(`
// info reads one device of the list.
func (l *Lib) info(c unsafe.Pointer) DeviceInfo {
	d := (*%s)(c)
	info := DeviceInfo{Name: cmem.Text(d.name[:]), DevName: cmem.Text(d.dev_name[:]), DevPath: cmem.Text(d.dev_path[:]), IBDevPath: cmem.Text(d.ibdev_path[:]),
		NodeType: NodeType(d.node_type), Transport: TransportType(d.transport_type), Index: -1}
	if l.fn[symIbv_get_device_guid] != 0 {
		info.GUID = bits.ReverseBytes64(rawGetDeviceGUID(l.fn[symIbv_get_device_guid], c))
	}
	if l.fn[symIbv_get_device_index] != 0 {
		info.Index = int(rawGetDeviceIndex(l.fn[symIbv_get_device_index], c))
	}
	return info
}`, "cDevice")
}
