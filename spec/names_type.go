package spec

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

func (c *checker) record(r *Record) {
	t := c.f.TypeOf("struct " + r.C)
	if t.record == nil {
		c.add(r.At("c", r.C), CodeUnknownName, r.Go, "no known release has struct "+show(r.C), DidYouMean(r.C, c.structTags()))
		return
	}
	t.Kind = CStruct
	if r.Arm != nil {
		c.constant(r.Pos, r.Go, r.Arm.Is)
		for _, name := range []string{r.Arm.Tag, r.Arm.Size} {
			if name != "" {
				c.field(r.Pos, r.Go, t, name)
			}
		}
	}
	if r.Tail != nil {
		c.field(r.Pos, r.Go, t, r.Tail.Count)
		c.field(r.Pos, r.Go, t, r.Tail.Size)
	}
	listed := map[string]*RecordField{}
	for i := range r.Fields {
		f := &r.Fields[i]
		listed[f.C] = f
		of, name := c.filled(r, t, f.C)
		c.field(f.Pos, r.Go, of, name)
		if f.Bit != "" {
			c.constant(f.At("bit", f.Bit), r.Go+"."+f.C, f.Bit)
		}
		for key, name := range map[string]string{"len": f.Len, "pair": f.Pair, "tag": f.Tag} {
			if name != "" {
				c.field(f.At(key, name), r.Go+"."+f.C, t, name)
			}
		}
		for _, name := range append(slices.Clone(f.On), f.NewOn) {
			if name != "" {
				c.constant(f.at("on", name, f.At("new_on", name)), r.Go+"."+f.C, name)
			}
		}
		for key, name := range map[string]string{"default": f.Default, "ok": f.OK, "swap_if": f.SwapIf, "queueless": f.Queueless} {
			if name != "" && name != QueuelessGiven {
				c.constant(f.At(key, name), r.Go+"."+f.C, name)
			}
		}
	}
	for _, root := range sortedKeys(r.CapsFrom) {
		c.capsFrom(r, t, root)
	}
	for _, name := range sortedKeys(r.Hide) {
		c.field(r.At("hide", name), r.Go, t, name)
		if f := listed[name]; f != nil {
			c.add(r.At("hide", name), CodeDuplicateName, r.Go, "field "+name+" is both shown ("+f.Pos.String()+") and hidden", "keep one of them")
		}
	}
	for _, w := range r.Switches {
		c.constant(w.Pos, r.Go, w.C)
	}
	if r.Setup != nil {
		for _, name := range r.Setup.Through {
			c.constant(r.Setup.At("through", name), r.Go, name)
		}
		for _, x := range r.Setup.Types {
			c.constant(x.Pos, x.Go, x.Of)
		}
	}
	if r.Mask != "" {
		c.field(r.At("mask", r.Mask), r.Go, t, r.Mask)
	}
	for _, name := range r.New {
		if listed[name] == nil {
			c.add(r.At("new", name), CodeUnknownName, r.Go, "new: "+show(name)+" is not among its fields",
				DidYouMean(name, sortedKeys(listed)))
		}
	}
}

// filled returns the struct that has a field, and its name there: of a lazy record that may be a member of what a function fills.
func (c *checker) filled(r *Record, t CType, path string) (of CType, name string) {
	function, member, ok := strings.Cut(path, ".")
	if r.Role != RecordLazy || !ok {
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
		c.add(o.At("c", o.C), CodeUnknownName, o.Go, "no known release has struct "+show(o.C), DidYouMean(o.C, c.structTags()))
	} else {
		for _, g := range o.Getters {
			c.field(g.Pos, o.Go, t, g.C)
		}
		for _, a := range o.Addresses {
			c.field(a.Pos, o.Go, t, a.C)
		}
		for _, l := range o.Lends {
			c.field(l.Pos, o.Go, t, l.C)
		}
		if o.FD != "" {
			c.field(o.At("fd", o.FD), o.Go, t, o.FD)
		}
	}
	for _, tag := range o.Also {
		if c.f.TypeOf("struct "+tag).record == nil {
			c.add(o.At("also", tag), CodeUnknownName, o.Go, "no known release has struct "+show(tag), DidYouMean(tag, c.structTags()))
		}
	}
	if r := o.Region; r != nil {
		c.constant(r.Pos, o.Go+".region", r.Vague)
	}
	c.function(o.At("destroy", o.Destroy), o.Go, o.Destroy)
	c.needs(o.Go, o.NeedsVerbs, o.Entry)
	for _, prop := range sortedKeys(o.StateFrom) {
		if t.record != nil && (o.StateFrom[prop] == StateObject || !slices.Contains(c.f.objects[o.C], prop)) {
			c.field(o.At("state_from", prop), o.Go, t, prop)
		}
	}
}

// iova checks the paths by which addresses in a new region begin.
func (c *checker) iova(v *Verb, fn *api.Function) {
	for _, path := range v.IOVA {
		if path == IOVAZero || path == IOVAUnknown {
			continue
		}
		if _, _, err := c.f.TypeOfPath(fn, path); err != nil {
			c.add(v.At("iova", path), CodeUnknownPath, v.C, "iova: "+show(path)+" leads nowhere: "+err.Error(), "")
		}
	}
}

// needs checks the functions of needs_verbs.
func (c *checker) needs(subject string, verbs map[string]string, e Entry) {
	for _, part := range sortedKeys(verbs) {
		c.function(e.At("needs_verbs."+part, verbs[part]), subject, verbs[part])
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
	tag := word.c
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
