package spec

import (
	"reflect"
	"slices"
	"strings"
)

func (c *checker) record(r *Record) {
	t := c.f.TypeOf("struct " + r.C)
	if t.record == nil {
		c.name("struct", r.At("c", r.C), r.Go, "c", r.C, scope{})
		return
	}
	t.Kind = CStruct
	c.entry(reflect.ValueOf(r).Elem(), r.Entry, r.Go, scope{t: t, record: r})
	listed := map[string]bool{}
	for _, f := range r.Fields {
		listed[f.C] = true
	}
	for _, root := range sortedKeys(r.CapsFrom) {
		c.capsFrom(r, t, root)
	}
	for _, name := range r.New {
		if !listed[name] {
			c.add(r.At("new", name), CodeUnknownName, r.Go, "new: "+show(name)+" is not among its fields",
				DidYouMean(name, sortedKeys(listed)))
		}
	}
}

// filled returns the struct that has a field, and its name there: of a lazy record that may be a member of what a function fills.
func (c *checker) filled(r *Record, t CType, path string) (of CType, name string) {
	function, member, ok := strings.Cut(path, ".")
	if r == nil || r.Role != RecordLazy || !ok {
		return t, path
	}
	for _, f := range t.record.Fields {
		if f.Name == function && f.Func != nil && len(f.Func.Params) == 2 {
			return c.f.TypeOf("struct " + c.f.TypeOf(f.Func.Params[1].Type).Tag), member
		}
	}
	return t, path
}

// field checks the name of a field, which may be dotted.
func (c *checker) field(pos Pos, subject string, t CType, name string) {
	at := t
	for _, step := range strings.Split(name, ".") {
		next, ok := c.f.Member(at, step)
		if !ok {
			c.add(pos, CodeUnknownName, subject, t.C+" has no field "+show(name), DidYouMean(step, c.f.Members(at)))
			return
		}
		at = next
	}
}

func (c *checker) object(o *Object) {
	t := c.f.TypeOf("struct " + o.C)
	if o.C == ObjectInt {
		t = c.f.TypeOf(o.C)
	}
	if t.record == nil && t.Kind != CInt {
		c.name("struct", o.At("c", o.C), o.Go, "c", o.C, scope{})
	}
	c.entry(reflect.ValueOf(o).Elem(), o.Entry, o.Go, scope{t: t})
	for _, prop := range sortedKeys(o.StateFrom) {
		if t.record != nil && (o.StateFrom[prop] == StateObject || !slices.Contains(c.f.objects[o.C], prop)) {
			c.field(o.At("state_from", prop), o.Go, t, prop)
		}
	}
}

// events checks what the events of a type concern. Each concerns one thing.
func (c *checker) events(t *EnumType) {
	of := map[string]string{}
	for i := range t.EventOf {
		x := &t.EventOf[i]
		if x.Of != EventOfPort && x.Of != EventOfDevice && c.f.TypeOf("struct "+x.Of).record == nil {
			c.add(x.Pos, CodeUnknownName, t.Go, "event_of: no known release has struct "+show(x.Of),
				DidYouMean(x.Of, append(c.structTags(), EventOfPort, EventOfDevice)))
		}
		for _, name := range x.Events {
			at := x.At("event_of", name)
			c.member(at, t.Go, t.Enum, name)
			if first := of[name]; first != "" {
				c.add(at, CodeDuplicateName, t.Go, "event_of: "+name+" concerns "+first+" already", "keep one of them")
			}
			of[name] = x.Of
		}
	}
}

// capsFrom checks one word of capability paths and the field that it stands for.
func (c *checker) capsFrom(r *Record, t CType, root string) {
	field := r.CapsFrom[root]
	word, known := c.f.caps[root]
	tag := word.Struct
	if !known {
		c.add(r.At("caps_from", root), CodeUnknownName, r.Go, "caps_from: no capabilities are called "+show(root),
			DidYouMean(root, sortedKeys(c.f.caps)))
		return
	}
	has := t
	if field != CapsSelf {
		has, _ = c.f.Member(t, field)
	}
	if has.Tag != tag || has.Pointer {
		c.add(r.At("caps_from."+root, field), CodeUnknownName, r.Go,
			"caps_from: "+show(field)+" is no struct "+tag+", which "+root+" stands for", "name the field of that type, or "+CapsSelf)
	}
}
