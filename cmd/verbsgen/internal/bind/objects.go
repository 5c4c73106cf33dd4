package bind

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindObjects makes the handle types, in two passes: an object names its parents.
func (b *binder) bindObjects() {
	for _, p := range b.Pages {
		for _, s := range p.Objects {
			o := &model.Object{Go: s.Go, C: s.C, Page: b.page(p.Page), Device: s.Memory == spec.MemoryDevice, Host: s.Memory == spec.MemoryHost,
				Hot: s.Hot, State: s.StateFrom, Pointer: map[string]bool{}, Doc: s.Doc, Pos: api.Pos(s.Pos)}
			b.objects[s.Go] = o
			b.pkg.Objects = append(b.pkg.Objects, o)
		}
	}
	for _, o := range b.pkg.Objects {
		s := b.ObjectByGo(o.Go)
		for _, name := range s.Parents {
			if parent := b.object(name); parent != nil {
				o.Parents = append(o.Parents, parent)
				continue
			}
			b.errorf(diag.TypeUnknown, s.Pos, s.Go, "no object "+name+" in any page", "correct parents:")
		}
		b.checkObject(s)
		b.bindState(o, s)
		b.bindGetters(o, s)
		b.bindRegion(o, s)
		b.bindMore(o, s)
	}
}

// object finds the handle type of a Go name, also one of another module; nil when no page has it.
func (b *binder) object(name string) *model.Object {
	if o := b.objects[name]; o != nil || !strings.Contains(name, ".") {
		return o
	}
	s := b.ObjectByGo(name)
	if s == nil {
		return nil
	}
	from, ref := b.use(name)
	o := &model.Object{Go: name, C: s.C, From: from, Ref: ref, Doc: s.Doc}
	for _, g := range s.Getters {
		o.Getters = append(o.Getters, &model.Getter{Go: g.Go, C: g.C})
	}
	b.objects[name] = o
	return o
}

// use is the module that a type is of, and the type with the path of its package: verbs.PD is of verbs.
func (b *binder) use(name string) (*model.Use, string) {
	module, bare, _ := strings.Cut(name, ".")
	i := slices.IndexFunc(b.pkg.Module.Uses, func(u model.Use) bool { return u.Name == module })
	u := &b.pkg.Module.Uses[i]
	return u, u.Import + "." + bare
}

// record finds the record of a Go name, also one of another module; nil when no page has it.
func (b *binder) record(name string) *model.Record {
	if r := b.records[name]; r != nil || !strings.Contains(name, ".") {
		return r
	}
	s := b.RecordByGo(name)
	if s == nil {
		return nil
	}
	from, ref := b.use(name)
	r := &model.Record{Go: name, C: s.C, From: from, Ref: ref, In: s.Role == spec.RecordIn, Plain: s.Plain(),
		Beside: s.MaskParam != "", Runtime: s.Runtime, Doc: s.Doc}
	b.records[name] = r
	return r
}

// enumType finds the type of flags or values of a Go name, also one of values of another module; nil when no page has it.
func (b *binder) enumType(name string) *model.Enum {
	if e := b.types[name]; e != nil || !strings.Contains(name, ".") {
		return e
	}
	s, flags := b.EnumByGo(name), b.FlagByGo(name)
	if s == nil && flags == nil {
		return nil
	}
	_, ref := b.use(name)
	if s == nil {
		return &model.Enum{Go: ref, C: flags.Enum, Flags: true, Bits: flags.Bits, Doc: flags.Doc}
	}
	return &model.Enum{Go: ref, C: s.Enum, Bits: 32, Doc: s.Doc}
}

// bindMore resolves the fields that the handle reads at each call: a descriptor, addresses, and objects that the library lends.
func (b *binder) bindMore(o *model.Object, s *spec.Object) {
	if s.FD != "" {
		if f := b.objectField(s.C, s.FD, s.At("fd", s.FD), s.Go); f != nil {
			o.FD = s.FD
			b.read(o, s.FD, "int32", *f)
		}
	}
	for _, g := range s.Addresses {
		if x, at := b.fieldAt("struct "+s.C, g.C); x != nil && x.Type == "struct sockaddr_storage" && b.facts.Record("struct "+s.C).ARM64 == nil {
			o.Addresses = append(o.Addresses, &model.Getter{Go: g.Go, C: g.C, Doc: g.Doc})
			b.read(o, g.C, "[128]byte", api.Field{Offset: at, Size: 128})
		} else if !b.newer("struct " + s.C + "." + g.C) {
			b.errorf(diag.TypeUnknown, g.Pos, s.Go+"."+g.Go, g.C+" is no struct sockaddr_storage in struct "+s.C, "correct the path")
		}
	}
	for _, l := range s.Lends {
		of, f := orZero(b.object(l.Type)), b.objectField(s.C, l.C, l.Pos, s.Go)
		t := b.facts.TypeOf(orZero(f).Type)
		if !b.first(entry{name: s.Go + "." + l.Go}.on(l.Pos),
			row{of.From == nil, "type", "no object " + l.Type + " in the pages of another module", ""},
			row{f != nil && (t.Tag != of.C || t.Depth() != 1), "type",
				l.C + " is of type " + t.C + ", and " + l.Type + " is a struct " + of.C + " *", ""}) && f != nil {
			o.Lends = append(o.Lends, &model.Lend{Go: l.Go, C: l.C, Object: of, Doc: l.Doc})
			b.read(o, l.C, "unsafe.Pointer", *f)
		}
	}
	for _, l := range s.Lacks {
		e, f := entry{name: s.Go + "." + l.C}.on(l.Pos), b.objectField(s.C, l.C, l.Pos, s.Go)
		b.wrong(e, row{!s.Hot, "", "lacks: is for calls of the data path, and the object has none", "write hot: true, or remove it"})
		if f != nil && !b.first(e, row{!isPointer(f.Type), "", "lacks: is for a pointer that may be NULL, and it is of type " + f.Type,
			"correct the field"}) {
			o.Lacks = append(o.Lacks, &model.Lack{C: l.C, What: l.What, Given: l.Given, Provider: l.Provider})
			b.read(o, l.C, "uintptr", *f)
		}
	}
}

// handleKnows is the property that runtime/gensupport/devmem knows of a handle.
const handleKnows = "length"

// bindState resolves where the fields of the C object stand that validators read.
func (b *binder) bindState(o *model.Object, s *spec.Object) {
	for _, prop := range slices.Sorted(maps.Keys(s.StateFrom)) {
		e, from := entry{s.Go, s.At}.on(s.At("state_from", prop)), s.StateFrom[prop]
		known := prop == handleKnows && s.Memory == spec.MemoryDevice
		b.wrong(e, row{from == spec.StateHandle && !known, "",
			"state_from: the Go handle does not know " + prop + ": only that of device memory knows something, its " + handleKnows,
			"write object, marks, made or none"})
		if from != spec.StateObject {
			continue
		}
		if f := b.objectField(s.C, prop, s.At("state_from", prop), s.Go); f != nil {
			b.shaped(e, "state_from", prop, "struct "+s.C+"."+prop, b.facts.TypeOf(f.Type), state)
			o.Pointer[prop] = isPointer(f.Type)
			read := "uint32"
			if o.Pointer[prop] {
				read = "uintptr"
			}
			b.read(o, prop, read, *f)
		}
	}
}

func (b *binder) bindGetters(o *model.Object, s *spec.Object) {
	label := ""
	for _, g := range s.Getters {
		e, f := entry{name: s.Go + "." + g.Go}.on(g.Pos), b.objectField(s.C, g.C, g.Pos, s.Go+"."+g.Go)
		b.wrong(e, row{g.Label != "" && label != "", "", "label: messages already name the object by " + label, "keep one of them"})
		if g.Label != "" {
			label = g.C
		}
		if f == nil {
			continue
		}
		pointer, as := isPointer(f.Type), scalar(f.Type)
		if pointer {
			as = "uintptr"
		}
		if b.first(e,
			row{bigEndian(f.Type) || g.Type != "" && (g.Type != "uintptr" || !pointer), "",
				"C type " + f.Type + " cannot be read as " + g.Type + " by a getter", "leave type: out, or the getter"},
			row{as == "" || g.Type == "" && pointer, "", "C type " + f.Type + " has no Go type of its own", "write type: with a Go type"},
			row{g.Changes && as != "uint32", "", "changes: C type " + f.Type + " is not an unsigned integer of 32 bits", "leave changes: out"}) {
			continue
		}
		b.read(o, g.C, as, *f)
		o.Getters = append(o.Getters, &model.Getter{Go: g.Go, C: g.C, CType: f.Type, GoType: cmp.Or(g.Type, intOf(as)), Layout: as,
			Label: g.Label, Changes: g.Changes, FD: g.FD, Doc: g.Doc})
	}
}

// bindRegion resolves what elements of a region are made of. A release without one of the fields has no elements of it.
func (b *binder) bindRegion(o *model.Object, s *spec.Object) {
	if s.Region == nil || b.facts.Record("struct "+s.C) == nil {
		return
	}
	getter := func(c, typ string) *model.Getter {
		same := func(g *model.Getter) bool { return g.C == c && g.GoType == typ }
		if i := slices.IndexFunc(o.Getters, same); i >= 0 {
			return o.Getters[i]
		}
		listed := slices.ContainsFunc(s.Getters, func(g spec.Getter) bool { return g.C == c })
		if !listed || b.facts.Record("struct "+s.C).Field(c) != nil {
			b.errorf(diag.TypeUnknown, s.Region.Pos, o.Go+".region", "it has no getter "+c+" of type "+typ, "add it to getters:, or correct region:")
		}
		return nil
	}
	r := &model.Region{Length: getter(s.Region.Length, "uint64"), LKey: getter(s.Region.LKey, "uint32"), Vague: b.member(s.Region.Vague)}
	if r.Length != nil && r.LKey != nil {
		o.Region = r
	}
}

// read adds a field to those that Go reads in place. A getter knows its sign.
func (b *binder) read(o *model.Object, c, goType string, f api.Field) {
	if err := b.fits(f, goType); err != nil {
		b.errorf(diag.MirrorImpossible, spec.Pos(f.Pos), "struct "+o.C+"."+c, err.Error(), "leave it out of the page")
		return
	}
	if o.Mirror == nil {
		o.Mirror = &model.Mirror{Name: b.mirrorName(o.C), C: o.C}
		if b.RecordByC(o.C) != nil { // which has a mirror of all fields
			o.Mirror.Name += "Object"
		}
	}
	m := o.Mirror
	i, found := slices.BinarySearchFunc(m.Leaf, f.Offset, func(l *model.Leaf, at int64) int { return cmp.Compare(l.Offset, at) })
	if found {
		m.Leaf[i].GoType = goType
		return
	}
	m.Leaf = slices.Insert(m.Leaf, i, &model.Leaf{Go: model.LeafName(c), C: c, GoType: goType, Offset: f.Offset, Size: f.Size})
}

// padded fills the gaps between the fields that are read.
func padded(m *model.Mirror) {
	var all []*model.Leaf
	for _, l := range m.Leaf {
		if gap := l.Offset - m.Size; gap > 0 {
			all = append(all, &model.Leaf{Go: "_", GoType: fmt.Sprintf("[%d]byte", gap), Offset: m.Size, Size: gap})
		}
		all, m.Size = append(all, l), l.Offset+l.Size
	}
	m.Leaf = all
}

// objectField finds a field of a C object that Go reads in place. One of a later release is left out in silence.
func (b *binder) objectField(tag, name string, at spec.Pos, subject string) *api.Field {
	rec := b.facts.Record("struct " + tag)
	if rec == nil {
		return nil
	}
	i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == name })
	switch {
	case i < 0: // it is of a later release
	case rec.Fields[i].BitSize != nil:
		b.errorf(diag.TypeMismatch, spec.Pos(rec.Fields[i].Pos), "struct "+tag+"."+name,
			"it is a bit-field, which cannot be read by its address",
			"leave it out of the page, or take the header that the page was written for")
	case rec.ARM64 != nil && rec.ARM64.Offsets[i] != rec.Fields[i].Offset:
		b.errorf(diag.MirrorImpossible, at, subject, "the offset of "+name+" differs between amd64 and arm64", "leave it out")
	default:
		return &rec.Fields[i]
	}
	return nil
}

// checkObject compares a handle with the header, and its parts with their verbs.
func (b *binder) checkObject(o *spec.Object) {
	e := entry{o.Go, o.At}
	b.wrong(e, row{o.Memory == spec.MemoryDevice && o.Hot, "", "memory: device and hot: exclude each other", "keep one of them"},
		row{o.C == spec.ObjectInt && (o.Memory != "" || o.Hot || len(o.Also) > 0 || o.Region != nil), "",
			"an int has no memory, no data path, and no struct begins with it", "remove memory:, region:, hot: and also:"})
	if b.Module.Root == o.Go {
		own := slices.IndexFunc(o.Parents, func(p string) bool { return !strings.Contains(p, ".") })
		if own >= 0 {
			b.wrong(entry{o.Go, o.At}.on(o.At("parents", o.Parents[own])), row{true, "parents",
				"it is the root of the module, which everything else is made from", "write parents: [], or another root: in module.yaml"})
		}
	}
	b.parents(o)
	b.also(o)
	d, fn := b.VerbByC(o.Destroy), b.facts.Func(o.Destroy)
	if d == nil || fn == nil || len(fn.Params) == 0 {
		return
	}
	var p spec.Param
	var others []spec.Param
	if i := max(0, slices.IndexFunc(d.Params, func(p spec.Param) bool { return p.IsHandle(o.Go) })); len(d.Params) > 0 {
		p, others = d.Params[i], slices.Concat(d.Params[:i], d.Params[i+1:])
	}
	t, handle := b.callableType(fn, p.C), orZero(b.ObjectByGo(p.Type))
	// A handle that does not fit its own C type is reported there.
	b.first(e,
		row{len(d.Params) == 0 || !b.madeFrom(o.Go, others) || p.Role != role.Handle && t.Tag != o.C ||
			handle.Go != o.Go && (handle.C == t.Tag || o.C == spec.ObjectInt), "destroy", o.Destroy + " does not take one " + o.Go + aloneWords, ""},
		row{!ends(d), "destroy", o.Destroy + " returns " + d.Returns + endsWords, ""})
}

// also compares an extended struct with the one that it begins with: a pointer to it is passed where a pointer to that is expected.
func (b *binder) also(o *spec.Object) {
	base := b.facts.Record("struct " + o.C)
	for _, tag := range o.Also {
		x := b.facts.Record("struct " + tag)
		if base == nil || x == nil || len(x.Fields) > 0 && x.Fields[0].Type == base.Tag {
			continue
		}
		for i, f := range base.Fields {
			if i < len(x.Fields) && x.Fields[i].Name == f.Name && x.Fields[i].Type == f.Type && x.Fields[i].Offset == f.Offset {
				continue
			}
			b.wrong(entry{o.Go, o.At}.on(o.At("also", tag)), row{true, "also",
				"struct " + tag + " does not begin with the fields of struct " + o.C + ": " + f.Name + " differs", "remove it from also:"})
			break
		}
	}
}

// parents refuses an object that is made from itself, at once or by way of others.
func (b *binder) parents(o *spec.Object) {
	for _, parent := range o.Parents {
		above, problem := map[string]bool{}, "it is its own parent"
		if b.above(parent, above); parent != o.Go {
			problem += " by way of " + parent
		}
		b.wrong(entry{o.Go, o.At}.on(o.At("parents", parent)), row{above[o.Go], "parents", problem, ""})
	}
}

// above adds an object and all that it is made from.
func (b *binder) above(name string, to map[string]bool) {
	if to[name] || strings.Contains(name, ".") { // of another module, whose names are others
		return
	}
	to[name] = true
	for _, parent := range orZero(b.ObjectByGo(name)).Parents {
		b.above(parent, to)
	}
}
