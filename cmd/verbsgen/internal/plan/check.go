package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// check plans the filling of the inputs of the rules, and the call of the validators.
func (c *call) check() []Step {
	s := Check{Verb: c.v.Go, Release: c.release, Refuses: len(c.v.Checked(false)) > 0}
	for _, o := range c.v.Inputs() {
		if o.Kind != model.OpCap {
			s.Inputs = append(s.Inputs, Entry{o.Name, c.input(o)})
			continue
		}
		s.Caps = append(s.Caps, Entry{o.Name, known(val(capPath(o)))})
		s.From = c.root + "." + capsFunc
	}
	if len(s.Inputs)+len(s.Caps) == 0 {
		return nil
	}
	return []Step{s}
}

// hint plans the report of the lints that a call breaks, which the device took.
func (c *call) hint() []Step {
	if len(c.v.Checked(true)) == 0 {
		return nil
	}
	return []Step{Hint{Verb: c.v.Go, Lib: c.lib}}
}

// input is what fills an input from what the method has.
func (c *call) input(o model.Operand) Value {
	switch {
	case o.Kind == model.OpProp && o.Param.Object.From != nil:
		return known(result(o.Param.Go + "." + o.Param.Object.Getter(o.Prop).Go))
	case o.Kind == model.OpProp && o.CField != "":
		at, ok := o.Param.Object.StateAt[o.CField]
		if !ok {
			c.b.errorf(c.v.C+"."+o.Text, "it is not known where struct %s has %s", o.Param.Object.C, o.CField)
		}
		read := "uint32"
		if o.Param.Object.Pointer[o.CField] {
			read = "uint64"
		}
		return known(cField(read, o.Param.Go+".h.C", at))
	case o.Kind == model.OpProp && o.Param.Object.State[o.Prop] == spec.StateMarks:
		return result(o.Param.Go + "." + naming.Local(o.Prop) + ".Known")
	case o.Kind == model.OpProp:
		return of("validate", "Maybe", result(o.Param.Go+"."+naming.Exported(o.Prop)))
	case o.Leaf == nil:
		in, ok := c.in[o.Param.C]
		if !ok {
			c.b.errorf(c.v.C+"."+o.Text, "a rule looks at it, and %s.%s has no value for it", c.m.Recv, c.m.Name)
		}
		return in
	}
	if _, fixed := c.m.Fixed[o.Param.C]; fixed {
		return zero
	}
	at := o.Param.Go + "C." + o.Leaf.Go
	if o.Param.Record.Runtime != "" {
		if o.Field == nil {
			c.b.errorf(c.v.C+"."+o.Text, "a rule looks at it, and the page does not show it")
			return zero
		}
		at = o.Param.Go + "." + o.Field.Go
	}
	x := wide(at)
	if o.Signed {
		x.Type = "int64"
	}
	return x
}
