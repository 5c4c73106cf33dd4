package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// deviceInfo makes the entry of the device list: the fields of its record, and what functions of the library tell of a device.
func (e *emitter) deviceInfo(g *goFile) {
	list := e.byForm[form.DeviceList]
	entry := list.Lists
	var fields []jen.Code
	add := func(text, name, typ, c string) {
		f := param(name, typ)
		if c != "" {
			f.Comment("// " + c)
		}
		if text != "" {
			f = jen.Comment("// " + text + ".").Line().Add(f)
		}
		fields = append(fields, f)
	}
	for _, f := range entry.Fields {
		add(f.Doc, f.Go, f.GoType, f.C)
	}
	if guid := list.Parts[form.PartGUID]; guid != nil {
		add("GUID of the node in the host's byte order. C: "+page(guid.Page), "GUID", "uint64", "")
	}
	if index := list.Parts[form.PartIndex]; index != nil {
		add("Index of the device in the kernel, -1 where the kernel or the library tells none. C: "+page(index.Page), "Index", "int", "")
	}
	g.structType(doc(entry.Go, "is "+lowerFirst(entry.Doc), "struct "+entry.C, entry.Page), entry.Go, fields...)
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
	v := e.byForm[form.DeviceList]
	entries := jen.Index().Id(v.Lists.Go)
	add := jen.Func().Params(jen.Id("c").Add(unsafePointer())).Bool().Block(
		assign(id("out"), jen.Append(id("out"), id("l.info").Call(id("c")))),
		jen.Return(jen.True()))
	g.fn(fn{
		doc: `// ` + v.m.Name + ` lists the RDMA devices of the machine. A kernel without RDMA is an error that is errors.ErrUnsupported; an
// empty list means that the kernel has RDMA and no device.
//
// C: ` + v.C + ", " + page(v.Page) + ".",
		recv: recv("l", v.m.Recv), name: v.m.Name, results: errResult(entries),
		body: []jen.Code{
			constVerb(v.C),
			define("list", "err").Add(id("l.deviceList").Call()),
			fail{jen.Nil()}.ifErr(),
			jen.Var().Id("out").Add(entries),
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
	v := e.byForm[form.OpenDevice]
	open := jen.Func().Params(jen.Id("c").Add(unsafePointer())).Params(jen.Id("err").Error()).Block(
		jen.List(id("dev"), id("err")).Op("=").Id("l").Dot("open").Call(id("c"), id("name")),
		jen.Return(id("err")))
	g.fn(fn{
		doc:  doc(v.m.Name, "opens the device of the given name", v.C, v.Page),
		recv: recv("l", v.m.Recv), name: v.m.Name, params: []jen.Code{param("name", "string")}, results: errResult(ptr(e.root())),
		body: []jen.Code{
			constVerb(v.C),
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
	v, none := e.byForm[form.OpenDevice].Verb, fail{jen.Nil()}
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
	list := e.byForm[form.DeviceList].Verb
	free := list.Part(form.PartFree)
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
	list := e.byForm[form.DeviceList]
	entry := list.Lists
	c := jen.Id("c").Add(unsafePointer())
	device := jen.Parens(ptr(entry.Mirror.Name)).Call(id("c"))
	text := func(of *jen.Statement, f *model.Field) *jen.Statement {
		return rt("cmem", "Text").Call(dot(of, f.Leaf.Go).Index(jen.Op(":")))
	}
	g.fn(fn{
		doc:  "// deviceName reads the name of a device of the list.",
		name: "deviceName", params: []jen.Code{c}, results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(text(device, entry.Fields[0]))}, short: true,
	})
	var values []jen.Code
	for _, f := range entry.Fields {
		value := text(id("d"), f)
		if !f.Text {
			value = goType(f.GoType).Call(id("d", f.Leaf.Go))
		}
		values = append(values, key(f.Go, value))
	}
	if list.Parts[form.PartIndex] != nil {
		values = append(values, key("Index", jen.Lit(-1)))
	}
	body := []jen.Code{define("d").Add(device), define("info").Id(entry.Go).Add(lines(values...))}
	body = append(body, e.readBy(list.Part(form.PartGUID), "GUID", rt("bits", "ReverseBytes64")), e.readBy(list.Part(form.PartIndex), "Index", jen.Int()))
	g.fn(fn{
		doc:  "// info reads one device of the list.",
		recv: recv("l", "Lib"), name: "info", params: []jen.Code{c}, results: []jen.Code{id(entry.Go)},
		body: append(body, jen.Return(id("info"))),
	})
}

// readBy fills a field of the entry by a function of the library, where the release has it:
//
//	if l.fn[symIbv_x] != 0 {
//		info.Field = conv(rawX(l.fn[symIbv_x], c))
//	}
func (e *emitter) readBy(v *model.Verb, field string, conv *jen.Statement) jen.Code {
	if v == nil || v.Symbol == nil {
		return nil
	}
	return jen.If(op(fnAddr(id("l"), v.Symbol), "!=", jen.Lit(0))).
		Block(assign(id("info", field), conv.Call(e.callShim(v, id("l"), id("c")))))
}
