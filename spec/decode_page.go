package spec

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// page reads the root of a page.
func (d *decoder) page(n *yaml.Node) *Page {
	p := &Page{Pos: d.pos(n)}
	defer d.marking(&p.marks)()
	if release := textOf(n, "release"); release != "" {
		d.tag = "v" + release
	}
	d.sourceTable(valueOf(n, keySources))
	name := pageName(d.file)
	ok := d.object(n, place{name, ""}, []key{
		{"page", true, d.text(&p.Page)},
		{"extends", false, func(*yaml.Node, place) {}}, // a file that has it is read by extension
		{"title", true, d.text(&p.Title)},
		{"release", true, d.release(&p.Release)},
		{"flags", false, d.named(func(name string, k, v *yaml.Node) { p.Flags = append(p.Flags, d.flagType(name, k, v)) })},
		{"enums", false, d.named(func(name string, k, v *yaml.Node) { p.Enums = append(p.Enums, d.enumType(name, k, v)) })},
		{"records", false, d.named(func(name string, k, v *yaml.Node) { p.Records = append(p.Records, d.record(name, k, v)) })},
		{"unions", false, d.named(func(name string, k, v *yaml.Node) { p.Unions = append(p.Unions, d.union(name, k, v)) })},
		{"objects", false, d.named(func(name string, k, v *yaml.Node) { p.Objects = append(p.Objects, d.objectType(name, k, v)) })},
		{"verbs", false, d.named(func(name string, k, v *yaml.Node) { p.Verbs = append(p.Verbs, d.verb(name, k, v)) })},
		{"rules", false, d.rules(p)},
		{"notes", false, func(n *yaml.Node, at place) {
			d.list(n, at, func(e *yaml.Node) { p.Notes = append(p.Notes, d.note(e, at)) })
		}},
		{"left_out", false, d.leftOut(p)},
		{"plain", false, d.plainPassages(p)},
		{"skip", false, d.skips(p)},
		{keySources, false, func(*yaml.Node, place) {}}, // read before all else
	})
	if ok && p.Page != "" && p.Page != name {
		fix := "name the file " + p.Page + ".yaml, one page a file"
		if name == p.Page+".go" {
			fix = "write extends: in place of page:, as its Go names extend the page"
		}
		d.add(n, CodePageName, p.Page, "the file is called "+name+".yaml", fix)
	}
	for i := range p.Verbs {
		p.Verbs[i].Page = p.Page
	}
	for i := range p.Rules {
		p.Rules[i].Page = cmp.Or(p.Rules[i].Page, p.Page)
	}
	return p
}

// skips reads declarations without a Go face.
func (d *decoder) skips(p *Page) reader {
	return d.named(func(name string, k, v *yaml.Node) {
		s := Skip{C: name, Pos: d.pos(k)}
		d.text(&s.Reason)(v, place{name, "reason"})
		p.Skip = append(p.Skip, s)
	})
}

// pageName is the name of the page that a file of this name holds.
func pageName(file string) string {
	return strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".yaml")
}

func (d *decoder) flagType(name string, k, v *yaml.Node) FlagType {
	d.goType(k, name)
	t := FlagType{Go: name, Bits: 32, Pos: d.pos(k)}
	defer d.marking(&t.marks)()
	bits := "32"
	whole := d.adding == nil
	ok := d.object(v, place{name, ""}, []key{
		{"enum", false, d.text(&t.Enum)},
		{"prefix", false, d.text(&t.Prefix)},
		{"bits", false, func(n *yaml.Node, at place) {
			d.operand(&bits)(n, at)
			if bits != "32" && bits != "64" {
				d.add(n, CodeValue, at.subject, "bits: "+show(bits)+" is not a width", "write 32 or 64")
			}
		}},
		{"members", false, d.texts(&t.Members)},
		{"ranges", false, d.texts(&t.Ranges)},
		{"runtime", false, d.oneOf(&t.Runtime, "dpath")},
		{"names", false, d.goNames(&t.Names)},
		{"doc", true, d.text(&t.Doc)},
		{"docs", false, d.textMap(&t.Docs)},
	})
	if bits == "64" {
		t.Bits = 64
	}
	if ok && whole && t.Enum == "" && len(t.Members) == 0 {
		d.add(k, CodeMissingKey, name, "neither enum nor members is given", "name the C enum, or the members of an anonymous one")
	}
	return t
}

func (d *decoder) enumType(name string, k, v *yaml.Node) EnumType {
	d.goType(k, name)
	t := EnumType{Go: name, Pos: d.pos(k)}
	defer d.marking(&t.marks)()
	whole, coded := d.adding == nil, false
	ok := d.object(v, place{name, ""}, []key{
		{"enum", false, d.text(&t.Enum)},
		{"prefix", false, d.text(&t.Prefix)},
		{"code", false, func(n *yaml.Node, at place) {
			coded = true
			d.oneOf(&t.Code, NumberMTU, NumberTimeout, NumberDelay, NumberRNR)(n, at)
		}},
		{"signed", false, d.truth(&t.Signed)},
		{"untyped", false, d.truth(&t.Untyped)},
		{"runtime", false, d.oneOf(&t.Runtime, "dpath")},
		{"names", false, d.goNames(&t.Names)},
		{"members", false, d.texts(&t.Members)},
		{"event_of", false, d.named(func(of string, k, v *yaml.Node) { t.EventOf = append(t.EventOf, d.eventOf(name, of, k, v)) })},
		{"doc", true, d.text(&t.Doc)},
		{"docs", false, d.textMap(&t.Docs)},
		{"likely", false, d.textMap(&t.Likely)},
	})
	constants := t.Enum != "" || len(t.Members) > 0
	switch {
	case !ok || !whole:
	case !constants && !coded:
		d.add(k, CodeMissingKey, name, "neither enum nor members is given", "name the C enum, or the members of an anonymous one")
	case t.Untyped && (t.Signed || t.Runtime+t.Code != "" || len(t.EventOf) > 0):
		d.add(valueOf(v, "untyped"), CodeValue, name,
			"untyped: excludes signed:, runtime:, code: and event_of:, which are for types", "remove it, or them")
	case len(t.Likely) > 0 && t.Runtime == "":
		d.add(valueOf(v, "likely"), CodeValue, name, "likely: is for types with runtime:", "remove it")
	}
	return t
}

// eventOf reads the events that concern one thing.
func (d *decoder) eventOf(enum, of string, k, v *yaml.Node) EventOf {
	x := EventOf{Of: of, Pos: d.pos(k)}
	defer d.marking(&x.marks)()
	d.texts(&x.Events)(v, place{enum + ".event_of", of})
	return x
}

func (d *decoder) record(name string, k, v *yaml.Node) Record {
	d.goType(k, name)
	r := Record{Go: name, Pos: d.pos(k)}
	defer d.marking(&r.marks)()
	d.object(v, place{name, ""}, []key{
		{"c", true, d.text(&r.C)},
		{"role", true, d.oneOf(&r.Role, RecordIn, RecordOut, RecordEvent, RecordEntry, RecordLazy)},
		{"asks", false, d.text(&r.Asks)},
		{"fails", false, d.text(&r.Fails)},
		{"runtime", false, d.oneOf(&r.Runtime, "dpath")},
		{"mask", false, d.text(&r.Mask)},
		{"mask_param", false, d.text(&r.MaskParam)},
		{"new", false, d.texts(&r.New)},
		{"fields", true, d.named(func(c string, fk, fv *yaml.Node) { r.Fields = append(r.Fields, d.recordField(name, c, fk, fv)) })},
		{"hide", false, d.textMap(&r.Hide)},
		{"switches", false, d.named(func(c string, sk, sv *yaml.Node) {
			w := Switch{C: c, Pos: d.pos(sk)}
			d.object(sv, place{name + "." + c, ""}, []key{
				{"go", true, d.exported(&w.Go)},
				{"doc", false, d.text(&w.Doc)},
			})
			r.Switches = append(r.Switches, w)
		})},
		{"arm", false, func(n *yaml.Node, at place) {
			r.Arm = &Arm{}
			d.object(n, at, []key{
				{"type", true, d.exported(&r.Arm.Of)},
				{"tag", false, d.text(&r.Arm.Tag)},
				{"is", true, d.text(&r.Arm.Is)},
				{"size", false, d.text(&r.Arm.Size)},
			})
		}},
		{"tail", false, func(n *yaml.Node, at place) {
			r.Tail = &Tail{}
			d.object(n, at, []key{
				{"type", true, d.exported(&r.Tail.Of)},
				{"go", true, d.exported(&r.Tail.Go)},
				{"count", true, d.text(&r.Tail.Count)},
				{"size", true, d.text(&r.Tail.Size)},
				{"doc", true, d.text(&r.Tail.Doc)},
			})
		}},
		{"setup", false, func(n *yaml.Node, at place) { r.Setup = d.setup(n, at) }},
		{"caps_from", false, d.textMap(&r.CapsFrom)},
		{"doc", true, d.text(&r.Doc)},
	})
	return r
}

// setup reads which states kinds of objects go through.
func (d *decoder) setup(n *yaml.Node, at place) *Setup {
	s := &Setup{Pos: d.pos(n)}
	defer d.marking(&s.marks)()
	d.object(n, at, []key{
		{"through", true, d.texts(&s.Through)},
		{"types", true, d.named(func(name string, k, v *yaml.Node) {
			d.goType(k, name)
			t := SetupType{Go: name, Pos: d.pos(k)}
			d.text(&t.Of)(v, place{name, "types"})
			s.Types = append(s.Types, t)
		})},
	})
	return s
}

func (d *decoder) recordField(record, c string, k, v *yaml.Node) RecordField {
	f := RecordField{C: c, Pos: d.pos(k)}
	defer d.marking(&f.marks)()
	d.object(v, place{record + "." + c, ""}, []key{
		{"go", true, d.exported(&f.Go)},
		{"type", false, d.text(&f.Type)},
		{"handle", false, d.text(&f.Handle)},
		{"handles", false, d.text(&f.Handles)},
		{"log2", false, d.truth(&f.Log2)},
		{"points", false, d.text(&f.Points)},
		{"tag", false, d.text(&f.Tag)},
		{"nested", false, d.text(&f.Nested)},
		{"bit", false, d.text(&f.Bit)},
		{"bool", false, d.truth(&f.Bool)},
		{"text", false, d.truth(&f.Text)},
		{"new_on", false, d.text(&f.NewOn)},
		{"marks", false, d.textMap(&f.Marks)},
		{"on", false, d.texts(&f.On)},
		{"bytes", false, d.truth(&f.Bytes)},
		{"hex", false, d.truth(&f.Hex)},
		{"order", false, d.oneOf(&f.Order, OrderNetwork)},
		{"means", false, d.text(&f.Means)},
		{"divides", false, d.text(&f.Divides)},
		{"queueless", false, d.text(&f.Queueless)},
		{"callback", false, d.oneOf(&f.Callback, CallbackMemory, CallbackAllocator, CallbackContext)},
		{"len", false, d.text(&f.Len)},
		{"pair", false, d.text(&f.Pair)},
		{"default", false, d.text(&f.Default)},
		{"ok", false, d.text(&f.OK)},
		{"failed", false, d.oneOf(&f.Failed, FailedToo, FailedOnly)},
		{"swap_if", false, d.text(&f.SwapIf)},
		{"time", false, d.exported(&f.Time)},
		{"doc", false, d.text(&f.Doc)},
	})
	return f
}

func (d *decoder) union(name string, k, v *yaml.Node) Union {
	d.goType(k, name)
	u := Union{Go: name, Pos: d.pos(k)}
	defer d.marking(&u.marks)()
	d.object(v, place{name, ""}, []key{
		{"c", true, d.text(&u.C)},
		{"shows", true, d.text(&u.Shows)},
		{"hide", false, d.textMap(&u.Hide)},
		{"text", false, d.oneOf(&u.Text, TextIPv6)},
		{"doc", true, d.text(&u.Doc)},
	})
	if _, hidden := u.Hide[u.Shows]; hidden {
		d.errs = append(d.errs, Error{Pos: u.At("hide", u.Shows), Subject: name, Code: CodeDuplicateName,
			Problem: "the member " + show(u.Shows) + " is both shown and hidden", Fix: "keep one of them"})
	}
	return u
}

func (d *decoder) objectType(name string, k, v *yaml.Node) Object {
	d.goType(k, name)
	o := Object{Go: name, Pos: d.pos(k)}
	defer d.marking(&o.marks)()
	d.object(v, place{name, ""}, []key{
		{"c", true, d.text(&o.C)},
		{"also", false, d.texts(&o.Also)},
		{"parents", true, d.marked(d.texts(&o.Parents))},
		{"destroy", true, d.text(&o.Destroy)},
		{"memory", false, d.oneOf(&o.Memory, MemoryDevice, MemoryHost)},
		{"region", false, func(n *yaml.Node, at place) { o.Region = d.region(name, n) }},
		{"hot", false, d.truth(&o.Hot)},
		{"getters", false, d.named(func(c string, gk, gv *yaml.Node) {
			g := Getter{C: c, Pos: d.pos(gk)}
			d.object(gv, place{name + "." + c, ""}, []key{
				{"go", true, d.exported(&g.Go)},
				{"type", false, d.text(&g.Type)},
				{"label", false, d.oneOf(&g.Label, LabelHex, LabelDecimal)},
				{"changes", false, d.truth(&g.Changes)},
				{"fd", false, d.truth(&g.FD)},
				{"doc", false, d.text(&g.Doc)},
			})
			o.Getters = append(o.Getters, g)
		})},
		{"fd", false, d.text(&o.FD)},
		{"addresses", false, d.named(func(c string, gk, gv *yaml.Node) {
			g := Getter{C: c, Pos: d.pos(gk)}
			d.object(gv, place{name + "." + c, ""}, []key{
				{"go", true, d.exported(&g.Go)},
				{"doc", true, d.text(&g.Doc)},
			})
			o.Addresses = append(o.Addresses, g)
		})},
		{"lends", false, d.named(func(c string, lk, lv *yaml.Node) {
			l := Lend{C: c, Pos: d.pos(lk)}
			d.object(lv, place{name + "." + c, ""}, []key{
				{"go", true, d.exported(&l.Go)},
				{"type", true, d.text(&l.Type)},
				{"doc", true, d.text(&l.Doc)},
			})
			o.Lends = append(o.Lends, l)
		})},
		{"lacks", false, d.named(func(c string, lk, lv *yaml.Node) {
			l := Lack{C: c, Pos: d.pos(lk)}
			d.object(lv, place{name + "." + c, ""}, []key{
				{"what", true, d.oneOf(&l.What, LackSend, LackRecv, LackEvents)},
				{"given", false, d.truth(&l.Given)},
				{"provider", false, d.text(&l.Provider)},
			})
			o.Lacks = append(o.Lacks, l)
		})},
		{"needs_verbs", false, d.textMap(&o.NeedsVerbs)},
		{"state_from", false, d.stateFrom(&o.StateFrom)},
		{"doc", true, d.text(&o.Doc)},
	})
	return o
}

// region reads what elements are made of.
func (d *decoder) region(object string, n *yaml.Node) *Region {
	r := &Region{Pos: d.pos(n)}
	d.object(n, place{object, "region"}, []key{
		{"length", true, d.text(&r.Length)},
		{"lkey", true, d.text(&r.LKey)},
		{"vague", true, d.text(&r.Vague)},
	})
	return r
}

// stateFrom reads where properties of an object are found.
func (d *decoder) stateFrom(to *map[string]string) reader {
	m := map[string]string{}
	return d.named(func(prop string, k, v *yaml.Node) {
		var from string
		d.oneOf(&from, StateObject, StateMade, StateHandle, StateMarks, StateNone)(v, place{"state_from", prop})
		m[prop] = from
		d.mark(k, "state_from", prop)
		*to = m
	})
}

func (d *decoder) verb(name string, k, v *yaml.Node) Verb {
	b := Verb{C: name, Pos: d.pos(k)}
	defer d.marking(&b.marks)()
	d.object(v, place{name, ""}, []key{
		{"returns", true, d.oneOf(&b.Returns, RetErrno, RetEither, RetNullErrno, RetArgument, RetMinus1, RetNumber, RetNegated,
			RetVoid, RetValue, RetRereg)},
		{"creates", false, d.text(&b.Creates)},
		{"result", false, d.text(&b.Result)},
		{"made_in", false, d.text(&b.MadeIn)},
		{"ended_by", false, d.text(&b.EndedBy)},
		{"params", true, d.named(func(c string, pk, pv *yaml.Node) { b.Params = append(b.Params, d.param(name, c, pk, pv)) })},
		{"methods", true, d.named(func(g string, mk, mv *yaml.Node) { b.Methods = append(b.Methods, d.method(g, mk, mv)) })},
		{"callbacks", false, d.truth(&b.Callbacks)},
		{"updates", false, d.truth(&b.Updates)},
		{"marks", false, d.textMap(&b.Marks)},
		{"always", false, d.truth(&b.Always)},
		{"needs_verbs", false, d.textMap(&b.NeedsVerbs)},
		{"needs_types", false, d.texts(&b.NeedsTypes)},
		{"lists", false, d.text(&b.Lists)},
		{"asks", false, d.text(&b.Asks)},
		{"empty", false, d.text(&b.Empty)},
		{"stream", false, func(n *yaml.Node, _ place) { b.Stream = d.stream(n, name) }},
		{"builds", false, func(n *yaml.Node, _ place) { b.Builds = d.builds(n, name) }},
		{"sets_for", false, d.text(&b.SetsFor)},
		{"view", false, func(n *yaml.Node, _ place) { b.View = d.view(n, name) }},
		{"command", false, func(n *yaml.Node, _ place) { b.Command = d.command(n, name) }},
		{"iova", false, d.texts(&b.IOVA)},
		{"extent", false, d.text(&b.Extent)},
		{"node", false, d.text(&b.Node)},
		{"doc", true, d.text(&b.Doc)},
	})
	return b
}

func (d *decoder) param(verb, c string, k, v *yaml.Node) Param {
	p := Param{C: c, Pos: d.pos(k)}
	defer d.marking(&p.marks)()
	d.object(v, place{verb + "." + c, ""}, []key{
		{"role", true, d.role(&p.Role)},
		{"type", false, d.text(&p.Type)},
		{"go", false, d.local(&p.Go)},
		{"null", false, d.truth(&p.Null)},
		{"len", false, d.text(&p.Len)},
		{"count", false, d.count(&p.Count, 64)},
		{"most", false, d.count(&p.Most, 1<<16)},
		{"rest", false, d.truth(&p.Rest)},
		{"parent", false, d.truth(&p.Parent)},
		{"moves", false, d.truth(&p.Moves)},
		{"field", false, d.text(&p.Field)},
		{"pairs", false, d.named(func(name string, k, v *yaml.Node) {
			x := Pair{Name: name, Pos: d.pos(k)}
			d.object(v, place{verb + "." + c, "pairs." + name}, []key{
				{"type", true, d.text(&x.Type)},
				{"fills", true, d.text(&x.Fills)},
				{"owns_queues", false, d.truth(&x.Owns)},
			})
			p.Pairs = append(p.Pairs, x)
		})},
		{"reads", false, d.truth(&p.Reads)},
		{"bytes", false, d.truth(&p.Bytes)},
		{"bit", false, d.text(&p.Bit)},
		{"from", false, d.text(&p.From)},
		{"hex", false, d.truth(&p.Hex)},
		{"means", false, d.text(&p.Means)},
		{"unjudged", false, d.text(&p.Unjudged)},
		{"doc", false, d.text(&p.Doc)},
	})
	d.paramKeys(v, verb+"."+c, p.Role)
	return p
}

func (d *decoder) method(name string, k, v *yaml.Node) Method {
	d.goMethod(k, name)
	m := Method{Go: name, Pos: d.pos(k)}
	defer d.marking(&m.marks)()
	d.object(v, place{name, ""}, []key{
		{"form", false, d.text(&m.Form)},
		{"fixed", false, d.textMap(&m.Fixed)},
		{"pair", false, d.text(&m.Pair)},
		{"implies_flags", false, d.texts(&m.ImpliesFlags)},
		{"doc", false, d.text(&m.Doc)},
	})
	return m
}
