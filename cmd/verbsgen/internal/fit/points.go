package fit

import (
	"slices"

	"github.com/verbsgen/verbsgen/spec"
)

// lists holds lists of handles and pointers to records against the header, and against what a builder can keep.
func (c *checker) lists(r *spec.Record) {
	for i := range r.Fields {
		f := &r.Fields[i]
		c.handles(r, f)
		c.points(r, f)
		if n := c.RecordByGo(f.Nested); n != nil && c.keeps(n) {
			c.fail(f.At("nested", f.Nested), r.Go+"."+f.Go,
				"nested: is for a record without handles, pointers and memory, and "+n.Go+" has some", "take them out of "+n.Go)
		}
	}
}

// keeps reports whether a record has fields that its builder keeps beside the C struct; bytes are copied along.
func (c *checker) keeps(r *spec.Record) bool {
	return r.Tail != nil || slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool {
		return f.Handle != "" || f.Handles != "" || f.Points != "" || f.Callback != ""
	})
}

// handles holds a list of handles against its struct.
func (c *checker) handles(r *spec.Record, f *spec.RecordField) {
	subject := r.Go + "." + f.Go
	if f.Handles == "" {
		if f.Log2 {
			c.fail(f.At("log2", ""), subject, "log2: is for the length of handles:", "remove it")
		}
		return
	}
	at := f.At("handles", f.Handles)
	if r.Role != spec.RecordIn || r.Runtime != "" || r.Arm != nil {
		c.fail(at, subject, "handles: is for records of role in, which a verb takes", "remove it, or correct role:")
	}
	c.counted(r, f)
}

// counted finds a list without an unsigned number for its length.
func (c *checker) counted(r *spec.Record, f *spec.RecordField) {
	t, ok := c.fieldType(r.C, f.Len)
	if f.Len == "" || ok && (!isInt(t) || t.Signed || t.Tag != "") {
		c.fail(f.At("len", f.Len), r.Go+"."+f.Go, "it needs a field with the length, an integer without a sign", "name it under len:")
	}
}

// points holds a pointer to records against its struct.
func (c *checker) points(r *spec.Record, f *spec.RecordField) {
	subject := r.Go + "." + f.Go
	if f.Points == "" {
		if f.Tag != "" {
			c.fail(f.At("tag", f.Tag), subject, "tag: is for points:", "remove it")
		}
		return
	}
	at := f.At("points", f.Points)
	if r.Role != spec.RecordIn || r.Runtime != "" {
		c.fail(at, subject, "points: is for records of role in", "remove it, or correct role:")
	}
	if to := c.RecordByGo(f.Points); to != nil {
		if f.Tag != "" || f.Len != "" {
			c.fail(at, subject, "tag: and len: are for a pointer to one of several records", "remove them")
		}
		if !to.Plain() || c.holds(to) {
			c.fail(at, subject, "points: is for a record of role in without a mask, handles and memory", "correct points:")
		}
		return
	}
	arms := c.armsOf(f.Points)
	if len(arms) == 0 {
		c.fail(at, subject, "there is no record "+f.Points+", and none has arm: of it", "correct points:")
	}
	if f.Tag == "" {
		c.fail(at, subject, "it needs the field that says which of several records it points to", "name it under tag:")
	} else if t, ok := c.fieldType(r.C, f.Tag); ok && !isInt(t) {
		c.fail(f.At("tag", f.Tag), subject, "struct "+r.C+"."+f.Tag+" is of type "+t.C+", and a tag is an integer", "correct tag:")
	}
	c.counted(r, f)
	for _, x := range arms {
		switch {
		case x.Arm.Tag != "" || x.Arm.Size != "":
			c.fail(x.Pos, x.Go, "arm: tag: and size: stand in struct "+r.C+", which points to it", "remove them")
		case !x.Plain() || c.keeps(x):
			c.fail(x.Pos, x.Go, "an arm that "+subject+" points to has no mask, handles, pointers and memory of its own", "take them out")
		}
	}
}

// holds reports whether a record has handles or memory, which a pointer to it does not reach.
func (c *checker) holds(r *spec.Record) bool {
	return r.Tail != nil || slices.ContainsFunc(r.Fields,
		func(f spec.RecordField) bool { return f.Handle != "" || f.Handles != "" || f.Callback != "" })
}

// armsOf lists the records that are an arm of a type.
func (c *checker) armsOf(of string) (arms []*spec.Record) {
	for _, p := range c.Pages {
		for i := range p.Records {
			if a := p.Records[i].Arm; a != nil && a.Of == of {
				arms = append(arms, &p.Records[i])
			}
		}
	}
	return arms
}

// pointedTo reports whether a field points to the arms of a type.
func (c *checker) pointedTo(of string) bool {
	return slices.ContainsFunc(c.Pages, func(p *spec.Page) bool {
		return slices.ContainsFunc(p.Records, func(r spec.Record) bool {
			return slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool { return f.Points == of })
		})
	})
}

// arm finds an arm whose tag and size stand nowhere, or in the wrong struct.
func (c *checker) arm(r *spec.Record) {
	if r.Arm == nil {
		return
	}
	pointed := c.pointedTo(r.Arm.Of)
	switch {
	case (r.Arm.Tag == "") != (r.Arm.Size == ""):
		c.fail(r.Pos, r.Go, "arm: tag: and size: go together", "name both, or none where another struct points to the record")
	case r.Arm.Tag == "" && !pointed:
		c.fail(r.Pos, r.Go, "arm: without tag: and size: is for a record that another one points to, and none has points: "+r.Arm.Of,
			"name both, or correct of:")
	}
}
