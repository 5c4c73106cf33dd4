package emit

import (
	"github.com/dave/jennifer/jen"
)

// deviceInfo makes the entry of the device list.
func (e *emitter) deviceInfo(g *goFile) {
	described := func(text string, f *jen.Statement, c string) *jen.Statement {
		s := jen.Comment("// " + text).Line().Add(f)
		if c != "" {
			s.Comment("// " + c)
		}
		return s
	}
	g.structType(`// DeviceInfo is an entry of the device list.
//
// C: struct ibv_device, ibv_get_device_list(3).`, "DeviceInfo",
		described(`Name of the device in the kernel ("mlx5_0").`, param("Name", "string"), "name"),
		described(`DevName is the name of its verbs character device ("uverbs0").`, param("DevName", "string"), "dev_name"),
		described("DevPath is the folder of the character device in sysfs.", param("DevPath", "string"), "dev_path"),
		described("IBDevPath is the folder of the device in sysfs.", param("IBDevPath", "string"), "ibdev_path"),
		remark(param("NodeType", "NodeType"), "node_type"),
		remark(param("Transport", "TransportType"), "transport_type"),
		described("GUID of the node in the host's byte order. C: ibv_get_device_guid(3).", param("GUID", "uint64"), ""),
		described("Index of the device in the kernel, -1 where the kernel or the library tells none. C: ibv_get_device_index(3).", param("Index", "int"), ""))
}

// devices makes Devices:
//
//	func (l *Lib) Devices() ([]DeviceInfo, error) {
//		const verb = "ibv_get_device_list"
//		list, err := l.deviceList()
//		if err != nil {
//			return nil, err
//		}
//		var out []DeviceInfo
//		err = list.Each(verb, func(c unsafe.Pointer) bool {
//			out = append(out, l.info(c))
//			return true
//		})
//		return out, err
//	}
func (e *emitter) devices(g *goFile) {
	add := jen.Func().Params(jen.Id("c").Add(unsafePointer())).Bool().Block(
		assign(id("out"), jen.Append(id("out"), id("l.info").Call(id("c")))),
		jen.Return(jen.True()))
	g.fn(fn{
		doc: `// Devices lists the RDMA devices of the machine. A kernel without RDMA is an error that is errors.ErrUnsupported; an
// empty list means that the kernel has RDMA and no device.
//
// C: ibv_get_device_list, ibv_get_device_list(3).`,
		recv: recv("l", "Lib"), name: "Devices", results: errResult(jen.Index().Id("DeviceInfo")),
		body: []jen.Code{
			constVerb("ibv_get_device_list"),
			define("list", "err").Add(id("l.deviceList").Call()),
			fail{jen.Nil()}.ifErr(),
			jen.Var().Id("out").Index().Id("DeviceInfo"),
			assign(id("err"), id("list.Each").Call(id("verb"), add)),
			jen.Return(id("out"), id("err")),
		},
	})
}

// openDevice makes OpenDevice, and the opening of one device of the list below it:
//
//	func (l *Lib) OpenDevice(name string) (*Device, error) {
//		const verb = "ibv_open_device"
//		list, err := l.deviceList()
//		if err != nil {
//			return nil, err
//		}
//		var dev *Device
//		err = list.Find(verb, name, deviceName, func(c unsafe.Pointer) (err error) {
//			dev, err = l.open(c, name)
//			return err
//		})
//		return dev, err
//	}
func (e *emitter) openDevice(g *goFile) {
	open := jen.Func().Params(jen.Id("c").Add(unsafePointer())).Params(jen.Id("err").Error()).Block(
		jen.List(id("dev"), id("err")).Op("=").Id("l").Dot("open").Call(id("c"), id("name")),
		jen.Return(id("err")))
	g.fn(fn{
		doc: `// OpenDevice opens the device of the given name.
//
// C: ibv_open_device, ibv_open_device(3).`,
		recv: recv("l", "Lib"), name: "OpenDevice", params: []jen.Code{param("name", "string")}, results: errResult(ptr(e.root())),
		body: []jen.Code{
			constVerb("ibv_open_device"),
			define("list", "err").Add(id("l.deviceList").Call()),
			fail{jen.Nil()}.ifErr(),
			jen.Var().Add(param("dev", "*"+e.root())),
			assign(id("err"), id("list.Find").Call(id("verb"), id("name"), id("deviceName"), open)),
			jen.Return(id("dev"), id("err")),
		},
	})
	e.openListed(g)
}

// openListed makes the opening of a device of the list:
//
//	func (l *Lib) open(c unsafe.Pointer, name string) (*Device, error) {
//		const verb = "ibv_open_device"
//		ctx, errno := rawOpenDevice(l.fn[symIbv_open_device], c)
//		if ctx == nil {
//			return nil, verr.Failed(verb, errno, nil)
//		}
//		dev := newDevice(l, ctx)
//		if err := dev.adopt(); err != nil {
//			return nil, err
//		}
//		dev.node.SetLabel(name)
//		return dev, nil
//	}
func (e *emitter) openListed(g *goFile) {
	v, none := e.need("ibv_open_device"), fail{jen.Nil()}
	g.fn(fn{
		doc:  "// open opens a device of the list.",
		recv: recv("l", "Lib"), name: "open", params: []jen.Code{jen.Id("c").Add(unsafePointer()), param("name", "string")}, results: errResult(ptr(e.root())),
		body: []jen.Code{
			constVerb(v.C),
			e.missingCheck(v, id("l"), none),
			define("ctx", "errno").Add(e.callShim(v, id("l"), id("c"))),
			jen.If(isNil(id("ctx"))).Block(none.with(rt("verr", "Failed").Call(id("verb"), id("errno"), jen.Nil()))),
			define("dev").Id("new"+e.root()).Call(id("l"), id("ctx")),
			none.onErr(id("dev.adopt").Call()),
			id("dev.node.SetLabel").Call(id("name")),
			jen.Return(id("dev"), jen.Nil()),
		},
	})
}

// deviceFunctions makes what the list needs of the library:
//
//	func (l *Lib) deviceList() (devlist.Library, error) {
//		return devlist.Library{
//			List: func(n *int32) (unsafe.Pointer, syscall.Errno) { return rawGetDeviceList(l.fn[symIbv_get_device_list], unsafe.Pointer(n)) },
//			Free: func(list unsafe.Pointer) { rawFreeDeviceList(l.fn[symIbv_free_device_list], list) },
//		}, nil
//	}
func (e *emitter) deviceFunctions(g *goFile) {
	list, free := e.need("ibv_get_device_list"), e.need("ibv_free_device_list")
	library := rt("devlist", "Library")
	none := fail{library.Clone().Values()}
	get := jen.Func().Params(param("n", "*int32")).Params(unsafePointer(), rt("syscall", "Errno")).
		Block(jen.Return(e.callShim(list, id("l"), unsafePointer().Call(id("n")))))
	give := jen.Func().Params(jen.Id("list").Add(unsafePointer())).Block(e.callShim(free, id("l"), id("list")))
	g.fn(fn{
		doc:  "// deviceList gives the functions that the device list needs.",
		recv: recv("l", "Lib"), name: "deviceList", results: errResult(library),
		body: []jen.Code{
			e.missingCheck(list, id("l"), none),
			e.missingCheck(free, id("l"), none),
			jen.Return(library.Clone().Add(lines(key("List", get), key("Free", give))), jen.Nil()),
		},
	})
}

// readDevice makes the reading of one device of the list. A function that the release lacks leaves its field as it is.
//
//	func (l *Lib) info(c unsafe.Pointer) DeviceInfo {
//		d := (*cDevice)(c)
//		info := DeviceInfo{Name: deviceName(c), ...}
//		if l.fn[symIbv_get_device_guid] != 0 {
//			info.GUID = bits.ReverseBytes64(rawGetDeviceGUID(l.fn[symIbv_get_device_guid], c))
//		}
//		return info
//	}
func (e *emitter) readDevice(g *goFile) {
	c := jen.Id("c").Add(unsafePointer())
	device := jen.Parens(ptr("cDevice")).Call(id("c"))
	text := func(name string) *jen.Statement { return rt("cmem", "Text").Call(id("d", name).Index(jen.Op(":"))) }
	g.fn(fn{
		doc:  "// deviceName reads the name of a device of the list.",
		name: "deviceName", params: []jen.Code{c}, results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("cmem", "Text").Call(jen.Add(device).Dot("name").Index(jen.Op(":"))))}, short: true,
	})
	body := []jen.Code{
		define("d").Add(device),
		define("info").Id("DeviceInfo").Add(lines(
			key("Name", text("name")), key("DevName", text("dev_name")), key("DevPath", text("dev_path")), key("IBDevPath", text("ibdev_path")),
			key("NodeType", id("NodeType").Call(id("d.node_type"))), key("Transport", id("TransportType").Call(id("d.transport_type"))),
			key("Index", jen.Lit(-1)))),
	}
	body = append(body, e.readBy("ibv_get_device_guid", "GUID", rt("bits", "ReverseBytes64")), e.readBy("ibv_get_device_index", "Index", jen.Int()))
	g.fn(fn{
		doc:  "// info reads one device of the list.",
		recv: recv("l", "Lib"), name: "info", params: []jen.Code{c}, results: []jen.Code{id("DeviceInfo")},
		body: append(body, jen.Return(id("info"))),
	})
}

// readBy fills a field of the entry by a function of the library, where the release has it:
//
//	if l.fn[symIbv_x] != 0 {
//		info.Field = conv(rawX(l.fn[symIbv_x], c))
//	}
func (e *emitter) readBy(c, field string, conv *jen.Statement) jen.Code {
	v := e.byVerb[c]
	if v == nil || v.Symbol == nil {
		return nil
	}
	return jen.If(op(fnAddr(id("l"), v.Symbol), "!=", jen.Lit(0))).
		Block(assign(id("info", field), conv.Call(e.callShim(v, id("l"), id("c")))))
}
