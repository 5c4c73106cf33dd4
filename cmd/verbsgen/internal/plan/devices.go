package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// devices plans the list of devices: the type of an entry, the listing, and the opening of one.
func (b *builder) devices() []Decl {
	v := b.byForm[form.DeviceList]
	list := "[]" + v.Lists.Go
	lib := Var{Name: "l", Type: "*" + v.m.Recv}
	get := Get{"list", result("l.deviceList")}
	c := []Var{{Name: "c", Type: pointer}}
	add := function(c, one("bool"), set("out", result("append", val("out"), result("l.info", val("c")))), ret(yes))
	found := function(c, []Var{{Name: "err", Type: "error"}},
		Set{To: []string{"dev", "err"}, Values: []Value{result("l.open", val("c"), val("name"))}}, ret(val("err")))
	out := []Decl{
		b.deviceInfo(v),
		&Method{Doc: Doc{Text: v.m.Name + " lists the RDMA devices of the machine. A kernel without RDMA is an error that is errors.ErrUnsupported; an\nempty list means that the kernel has RDMA and no device.\n\nC: " + v.C + ", " + Page(v.Page) + "."},
			Recv: lib, Name: v.m.Name, Verb: v.Verb, Results: []Var{{Type: list}, {Type: "error"}}, Zero: []Value{null},
			Steps: []Step{Name{v.C}, get, Declare{Var{Name: "out", Type: list}}, set("err", result("list.Each", verb, add)), ret(val("out"), val("err"))}},
	}
	open := b.byForm[form.OpenDevice]
	dev := "*" + b.root()
	out = append(out, &Method{Doc: Doc{Does: "opens the device of the given name", C: open.C, Page: open.Page}, Recv: lib, Name: open.m.Name, Verb: open.Verb,
		Params: []Var{{Name: "name", Type: "string"}}, Results: []Var{{Type: dev}, {Type: "error"}}, Zero: []Value{null},
		Steps: []Step{Name{open.C}, get, Declare{Var{Name: "dev", Type: dev}}, set("err", result("list.Find", verb, val("name"), val("deviceName"), found)), ret(val("dev"), val("err"))}},
		b.openListed(open, lib), b.deviceCalls(v, lib))
	return append(out, b.readDevice(v, lib)...)
}

// deviceInfo plans the entry of the list: the fields of its record, and what functions of the library tell of a device.
func (b *builder) deviceInfo(list made) *Struct {
	entry := list.Lists
	s := &Struct{Name: entry.Go, Doc: Doc{Does: "is " + naming.Unexported(entry.Doc), C: "struct " + entry.C, Page: entry.Page}}
	for _, f := range entry.Fields {
		s.Fields = append(s.Fields, Var{Name: f.Go, Type: f.GoType, Remark: f.C, Doc: f.Doc})
	}
	if guid := list.Parts[form.PartGUID]; guid != nil {
		s.Fields = append(s.Fields, Var{Name: "GUID", Type: "uint64", Doc: "GUID of the node in the host's byte order. C: " + Page(guid.Page)})
	}
	if index := list.Parts[form.PartIndex]; index != nil {
		s.Fields = append(s.Fields, Var{Name: "Index", Type: "int", Doc: "Index of the device in the kernel; -1 if the kernel or the library has none. C: " + Page(index.Page)})
	}
	return s
}

// openListed plans the opening of a device of the list.
func (b *builder) openListed(v made, lib Var) *Method {
	m := &Method{Doc: Doc{Text: "open opens a device of the list."}, Recv: lib, Name: "open", Params: []Var{{Name: "c", Type: pointer}, {Name: "name", Type: "string"}},
		Results: []Var{{Type: "*" + b.root()}, {Type: "error"}}, Zero: []Value{null}}
	m.Steps = append([]Step{Name{v.C}}, b.missing(v.Verb, "l")...)
	m.Steps = append(m.Steps, Call{Verb: v.C, By: raw(v.Verb, "l", val("c")), Answer: Pointer, Into: "ctx"},
		Make{Into: "dev", Object: b.root(), Owner: "l", From: "ctx"}, Adopt{Handle: "dev"}, Do{result("dev.h.SetLabel", val("name"))}, ret(val("dev"), null))
	return m
}

// deviceCalls plans what the list needs of the library.
func (b *builder) deviceCalls(list made, lib Var) *Method {
	free := list.Part(form.PartFree)
	m := &Method{Doc: Doc{Text: "deviceList returns the functions that list devices."}, Recv: lib, Name: "deviceList",
		Results: []Var{{Type: "devlist.Library"}, {Type: "error"}}, Zero: []Value{composite("devlist.Library")}}
	m.Steps = append(b.missing(list.Verb, "l"), b.missing(free, "l")...)
	get := function([]Var{{Name: "n", Type: "*int32"}}, []Var{{Type: pointer}, {Type: "syscall.Errno"}}, ret(raw(list.Verb, "l", converted(pointer, val("n")))))
	give := function([]Var{{Name: "list", Type: pointer}}, nil, Do{raw(free, "l", val("list"))})
	m.Steps = append(m.Steps, ret(composite("devlist.Library", Entry{"List", get}, Entry{"Free", give}), null))
	return m
}

// readDevice plans the reading of one device of the list. A function that the release lacks leaves its field as it is.
func (b *builder) readDevice(list made, lib Var) []Decl {
	entry := list.Lists
	c := []Var{{Name: "c", Type: pointer}}
	device := converted("*"+entry.Mirror.Name, val("c"))
	var fields []Entry
	for _, f := range entry.Fields {
		value := as(CText, "d."+f.Leaf.Go)
		if !f.Text {
			value = converted(f.GoType, val("d."+f.Leaf.Go))
		}
		fields = append(fields, Entry{f.Go, value})
	}
	if list.Parts[form.PartIndex] != nil {
		fields = append(fields, Entry{"Index", val("-1")})
	}
	info := &Method{Doc: Doc{Text: "info reads one device of the list."}, Recv: lib, Name: "info", Params: c, Results: one(entry.Go),
		Steps: []Step{Define{"d", device}, Define{"info", composite(entry.Go, fields...)}}}
	for _, x := range []struct {
		part, field string
		as          Value
	}{{form.PartGUID, "GUID", Value{As: Reversed, N: 64}}, {form.PartIndex, "Index", Value{As: Converted, Type: "int"}}} {
		if v := list.Part(x.part); v != nil && v.Symbol != nil {
			x.as.Args = []Value{raw(v, "l", val("c"))}
			info.Steps = append(info.Steps, If{Value{As: IsNotZero, Args: []Value{symbol("l", v.Symbol)}}, []Step{set("info."+x.field, x.as)}})
		}
	}
	info.Steps = append(info.Steps, ret(val("info")))
	first := as(CText, entry.Fields[0].Leaf.Go)
	first.Args = []Value{device}
	name := &Method{Doc: Doc{Text: "deviceName reads the name of a device of the list."}, Name: "deviceName", Params: c, Results: one("string"), Short: true,
		Steps: []Step{ret(first)}}
	return []Decl{name, info}
}
