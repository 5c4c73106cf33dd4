package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// check fills the inputs of the rules and calls the validators:
//
//	in := inX{
//		access: uint64(access),
//	}
//	if caps := pd.dev.capabilities(); caps != nil {
//		in.capMaxMRSize = fail.Sure(uint64(caps.max_mr_size))
//	}
//	if err := checkX(&in); err != nil {
//		return nil, err
//	}
func (c *call) check() []jen.Code {
	var inputs, caps []jen.Code
	for _, o := range c.v.Inputs() {
		if o.Kind == model.OpCap {
			caps = append(caps, assign(id("in", o.Name), known(id(capPath(o)))))
		} else {
			inputs = append(inputs, key(o.Name, c.input(o)))
		}
	}
	if len(inputs)+len(caps) == 0 {
		return nil
	}
	out := []jen.Code{define("in").Id("in" + c.v.Go).Add(lines(inputs...))}
	if len(caps) > 0 {
		out = append(out, jen.If(define("caps").Add(id(c.root, capsFunc).Call()), notNil(id("caps"))).Block(caps...))
	}
	if len(c.v.Checked(false)) > 0 {
		out = append(out, c.zero.onErr(id("check"+c.v.Go).Call(ref(id("in")))))
	}
	return out
}

// hint reports the lints that a call breaks, which the device took:
//
//	if pd.lib.lints.Wanted() {
//		pd.lib.lints.Report(hintX(&in))
//	}
func (c *call) hint() []jen.Code {
	if len(c.v.Checked(true)) == 0 {
		return nil
	}
	report := id(c.lib, "lints.Report").Call(id("hint" + c.v.Go).Call(ref(id("in"))))
	return []jen.Code{jen.If(id(c.lib, "lints.Wanted").Call()).Block(report)}
}

// input is what fills an input from what the method has.
func (c *call) input(o model.Operand) jen.Code {
	switch {
	case o.Kind == model.OpProp && o.Param.Handles != nil:
		of := o.Param.Handles.Type()
		return rt("fail", "Least").Call(id(o.Param.Go), jen.Func().Params(param("x", of)).Op("*").Add(rt("fail", "Mark")).Add(
			short(jen.Return(ref(id("x", model.Local(o.Prop)))))))
	case o.Kind == model.OpProp && o.Param.Object.From != nil:
		return known(id(o.Param.Go + "." + o.Param.Object.Getter(o.Prop).Go).Call())
	case o.Kind == model.OpProp && o.CField != "":
		if m := o.Param.Object.Mirror; m == nil || m.Find(o.CField) == nil {
			c.e.errorf(c.v.C+"."+o.Text, "it is not known where struct %s has %s", o.Param.Object.C, o.CField)
			return jen.Lit(0)
		}
		return known(cNumber(o.Param.Object, o.Param.Go+".h.C", o.CField))
	case o.Kind == model.OpProp && o.Param.Object.State[o.Prop] == spec.StateMarks:
		return id(o.Param.Go + "." + model.Local(o.Prop) + ".Known").Call()
	case o.Kind == model.OpProp:
		return rt("fail", "Maybe").Call(id(o.Param.Go + "." + model.Exported(o.Prop)).Call())
	case o.Leaf == nil:
		in, ok := c.in[o.Param.C]
		if !ok {
			c.e.errorf(c.v.C+"."+o.Text, "a rule looks at it, and %s.%s has no value for it", c.m.Recv, c.m.Name)
			return jen.Lit(0)
		}
		return in
	}
	if _, fixed := c.m.Fixed[o.Param.C]; fixed {
		return jen.Lit(0)
	}
	at := o.Param.Go + "C." + o.Leaf.Go
	if o.Param.Record.Runtime != "" {
		if o.Field == nil {
			c.e.errorf(c.v.C+"."+o.Text, "a rule looks at it, and the page does not show it")
			return jen.Lit(0)
		}
		at = o.Param.Go + "." + o.Field.Go
	}
	if o.Signed {
		return conversion("int64", id(at))
	}
	return wide(at)
}

// capPath is where a capability stands in those of the device.
func capPath(o model.Operand) string {
	if o.Prop != "" {
		return "caps." + o.Prop + "." + o.Leaf.Go
	}
	return "caps." + o.Leaf.Go
}
