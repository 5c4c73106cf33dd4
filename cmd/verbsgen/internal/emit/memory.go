package emit

import (
	"fmt"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// memorySetters writes the setters of a builder that give host memory which the new object then holds, beside the one
// that gives an address.
func (e *emitter) memorySetters(g *goFile, r *model.Record, f *model.Field) {
	g.add(`
%[4]s
func (a *%[1]s) Memory(buf []byte) *%[1]s {
	a.pin, a.buf = buf, nil
	a.c.length = uint64(len(buf))
	a.c.%[2]s |= 0x%[3]x
	return a
}

%[5]s
func (a *%[1]s) Buffer(buf *mem.Buffer) *%[1]s {
	a.pin, a.buf = nil, buf
	if buf != nil {
		a.c.length = buf.Len()
	}
	a.c.%[2]s |= 0x%[3]x
	return a
}

// hold takes the memory and puts its address into c; release lets go of it again.
func (a *%[1]s) hold(verb string, c *%[6]s) (release func(), err error) {
	switch {
	case a.buf != nil:
		if err := a.buf.Retain(verb); err != nil {
			return nil, err
		}
		c.addr, c.length = a.buf.Addr(), a.buf.Len()
		return func() { a.buf.Release(verb) }, nil
	case a.pin != nil:
		pin, err := mem.PinBytes(a.pin)
		if err != nil {
			return nil, verr.Memory(verb, err)
		}
		c.addr, c.length = pin.Addr(), pin.Len()
		return pin.Unpin, nil
	}
	return func() {}, nil
}`, r.Go, r.Mask, uint64(f.BitValue),
		doc("Memory", "sets address and length by a slice, which is pinned from the call on until the new object's Close has succeeded", "struct "+r.C+"."+f.C, r.Page),
		doc("Buffer", "sets address and length by a buffer, which cannot be closed until the new object's Close has succeeded", "struct "+r.C+"."+f.C, r.Page), r.Mirror.Name)
}

// heldMemory writes the taking of a builder's memory into a method.
func (c *call) heldMemory(p *model.Param) {
	for _, f := range p.Record.Fields {
		if f.Callback != "memory" {
			continue
		}
		c.keep = true
		c.pre = append(c.pre, fmt.Sprintf("release, err := %[1]s.hold(verb, &%[1]sC)\nif err != nil {\nreturn %[2]serr\n}\ndefer func() {\nif release != nil {\nrelease()\n}\n}()", p.Go, c.fail))
		if c.v.Creates != nil {
			c.post = append(c.post, fmt.Sprintf("if %[1]s.buf != nil {\nheld := o.release\no.release = %[1]s.buf.Keep(\"%[2]s (\"+o.label()+\")\")\nheld()\n}", p.Go, c.v.Creates.Go))
		}
	}
}
