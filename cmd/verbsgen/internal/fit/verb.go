package fit

import (
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// verb holds a verb against its C function. A function that the header lacks is reported elsewhere, or is newer than it.
func (c *checker) verb(v *spec.Verb) {
	fn := c.facts.Func(v.C)
	for i := range v.Params {
		p := &v.Params[i]
		if naming.Reserved(p.Go) {
			c.add(diag.GoNameTwice, p.At("go", p.Go), v.C+"."+p.C, "the generated methods use the name "+p.Go+" themselves",
				"choose another name under go:")
		}
		c.noUnion(v, p)
	}
	if fn != nil {
		c.params(v, fn)
		c.returns(v, fn)
		c.extent(v, fn)
		c.asks(v, fn)
		c.stream(v, fn)
		c.iova(v, fn)
	}
	c.names(v)
	c.updates(v)
	c.paramBits(v)
	c.methods(v, fn)
}

// names holds the types that a verb names beside those of its parameters.
func (c *checker) names(v *spec.Verb) {
	for _, name := range v.NeedsTypes {
		if _, bits := c.enumType(name); bits == 0 {
			c.fail(v.At("needs_types", name), v.C, "no flag or enum type "+name+" in any page", "correct needs_types:")
		}
	}
	lists := func(role string) bool {
		return slices.ContainsFunc(v.Methods, func(m spec.Method) bool {
			f := form.Of(v.C, m.Form)
			return f != nil && (f.Lists == role || f.Name == form.Special && role == spec.RecordEntry)
		})
	}
	if r := c.RecordByGo(v.Lists); r != nil && (r.Role == spec.RecordEntry || r.Role == spec.RecordLazy) && !lists(r.Role) {
		c.fail(v.At("lists", v.Lists), v.C, "it has lists:, and no method of a form that lists records", "remove lists:")
	}
}

// extent holds the place of the length of new device memory against the header.
func (c *checker) extent(v *spec.Verb, fn *api.Function) {
	if v.Extent == "" {
		return
	}
	at := v.At("extent", v.Extent)
	if o := c.ObjectByGo(v.Creates); o != nil && o.Memory == spec.MemoryHost {
		if i := slices.IndexFunc(v.Params, func(p spec.Param) bool { return p.C == v.Extent && p.Role == role.In }); i < 0 {
			c.fail(at, v.C, "extent: "+v.Extent+" is no number that the method takes", "name the parameter with the length")
		}
	}
	t, _, err := c.facts.TypeOfPath(fn, v.Extent)
	switch o := c.ObjectByGo(v.Creates); {
	case err != nil: // reported elsewhere
	case o == nil && v.Creates == "" || o != nil && o.Memory == "":
		c.fail(at, v.C, "it has extent:, and makes no memory", "remove extent:")
	case !isInt(t) || t.Bits != 64 || t.Signed:
		c.fail(at, v.C, "extent: "+v.Extent+" is of type "+t.C+", and a length of memory has 64 bits without a sign", "correct extent:")
	}
}

// asks holds the place of the flags that a new object is asked for against the header.
func (c *checker) asks(v *spec.Verb, fn *api.Function) {
	if v.Asks == "" {
		return
	}
	switch t, _, err := c.facts.TypeOfPath(fn, v.Asks); {
	case err != nil: // reported elsewhere
	case v.Creates == "":
		c.fail(v.At("asks", v.Asks), v.C, "it has asks:, and makes no object", "remove asks:")
	case !isInt(t) || t.Signed:
		c.fail(v.At("asks", v.Asks), v.C, "asks: "+v.Asks+" is of type "+t.C+", and flags are an integer without a sign", "correct asks:")
	}
}

// updates finds a verb that changes fields of an object which no getter returns.
func (c *checker) updates(v *spec.Verb) {
	for _, m := range v.Methods {
		recv, _, _ := strings.Cut(m.Go, ".")
		if o := c.ObjectByGo(recv); v.Updates && (m.Form != form.Plain && m.Form != form.Special || o == nil || len(o.Getters) == 0) {
			c.fail(v.At("updates", ""), v.C,
				"it has updates:, and "+m.Go+" is no method of an object with getters: that calls it as it is", "remove updates:")
		}
	}
}

// paramBits finds flags that say that a parameter is given, and are of another enum than the others.
func (c *checker) paramBits(v *spec.Verb) {
	var bits []string
	for _, p := range v.Params {
		bits = append(bits, p.Bit)
	}
	enum := c.commonEnum(bits)
	for i := range v.Params {
		p := &v.Params[i]
		if e := c.facts.EnumOf(p.Bit); e != nil && e.Tag != enum {
			c.fail(p.At("bit", p.Bit), v.C+"."+p.C, otherEnum(p.Bit, e.Tag, enum, "of the verb"), "write a member of "+enum)
		}
	}
}

// returns holds the return convention, and the object that a verb makes, against the header.
func (c *checker) returns(v *spec.Verb, fn *api.Function) {
	if fn.Variadic {
		c.fail(v.Pos, v.C, "it takes any number of arguments, and a call with a variable number of arguments cannot be generated",
			"skip it with this reason")
	}
	ret := c.facts.TypeOf(fn.Ret)
	plainInt := isInt(ret) && ret.Bits == 32 && ret.Signed && ret.Tag == ""
	pointer := ret.Pointer && ret.Kind != spec.CFunc
	number := isInt(ret) && ret.Signed && ret.Tag == "" && ret.Bits >= 32
	fits := map[string]bool{spec.RetNumber: number, spec.RetNegated: number, spec.RetErrno: plainInt, spec.RetEither: plainInt,
		spec.RetMinus1: plainInt, spec.RetNullErrno: pointer, spec.RetVoid: fn.Ret == "void",
		spec.RetValue: pointer || ret.Kind == spec.CInt && !ret.Array, spec.RetRereg: plainInt && special.Find(v.C) != nil}
	if !fits[v.Returns] {
		c.fail(v.At("returns", v.Returns), v.C, "a function that returns "+fn.Ret+" does not return "+v.Returns, "correct returns:")
		return
	}
	enum, bits := c.enumType(v.Result)
	switch {
	case v.Result != "" && v.Returns != spec.RetValue:
		c.fail(v.At("result", v.Result), v.C, "it has result:, and returns no value", "remove result:, or write returns: value")
	case bits > 0 && (!isInt(ret) || ret.Tag != "" && ret.Tag != enum):
		c.fail(v.At("result", v.Result), v.C, "it returns "+fn.Ret+", and "+v.Result+" is made of "+enum, "correct result:")
	}
	if o := c.ObjectByC(ret.Tag); v.Creates == "" && v.Returns == spec.RetNullErrno && o != nil && ret.Depth() == 1 {
		c.fail(v.At("returns", v.Returns), v.C, "it returns "+fn.Ret+", and creates: does not say which object it makes", "write creates: "+o.Go)
	}
	c.made(v, fn)
	if o := c.ObjectByGo(v.Creates); o != nil && o.Memory == spec.MemoryHost &&
		(!stored(v) || ret.C != "void *" || v.Returns != spec.RetNullErrno) {
		c.fail(v.At("creates", v.Creates), v.C,
			"it returns "+fn.Ret+", and a verb that makes "+v.Creates+" returns the address of the memory, or NULL and errno, and stores "+
				"the object", "correct creates:")
	} else if o != nil && !stored(v) && (ret.Tag != o.C && !slices.Contains(o.Also, ret.Tag) || ret.Depth() != 1) {
		c.fail(v.At("creates", v.Creates), v.C, "it returns "+fn.Ret+", and "+o.Go+" is a struct "+o.C+" *", "correct creates:")
	}
}

// stored reports whether a verb stores the object that it makes, and does not return it.
func stored(v *spec.Verb) bool {
	return v.MadeIn != "" || slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == role.Made })
}

// made holds the place where a verb stores the object that it makes, and the verb that ends it, against the header.
func (c *checker) made(v *spec.Verb, fn *api.Function) {
	o := c.ObjectByGo(v.Creates)
	if o == nil {
		if v.MadeIn != "" || v.EndedBy != "" {
			c.fail(v.Pos, v.C, "it has made_in: or ended_by:, and makes no object", "write creates:, or remove them")
		}
		return
	}
	for _, q := range c.facts.Callable(fn) {
		i := slices.IndexFunc(v.Params, func(p spec.Param) bool { return p.C == q.Name && p.Role == role.Made })
		if i >= 0 && c.facts.TypeOf(q.Type).Tag != o.C {
			c.fail(v.Params[i].At("role", role.Made.Name), v.C+"."+q.Name,
				"it is of type "+q.Type+", and "+v.Creates+" is a struct "+o.C+" *", "correct creates: or role:")
		}
	}
	if t, _, err := c.facts.TypeOfPath(fn, v.MadeIn); v.MadeIn != "" && err == nil && (t.Tag != o.C || t.Depth() != 1) {
		c.fail(v.At("made_in", v.MadeIn), v.C, v.MadeIn+" is of type "+t.C+", and "+v.Creates+" is a struct "+o.C+" *", "correct made_in:")
	}
	other := strings.Contains(v.Creates, ".")
	end, endFn := c.VerbByC(v.EndedBy), c.facts.Func(v.EndedBy)
	switch {
	case v.EndedBy == "" || end == nil || endFn == nil:
	case !other && (end.C == o.Destroy || o.Memory == spec.MemoryDevice):
		c.fail(v.At("ended_by", v.EndedBy), v.C, v.Creates+" is ended by the verb of its page", "remove ended_by:")
	case !other && !takesOne(end, v.Creates):
		c.fail(v.At("ended_by", v.EndedBy), v.C, v.EndedBy+" does not take one "+v.Creates+" alone", "correct ended_by:")
	case other && (len(end.Params) != 1 || !takesReceiver(v, end.Params[0].Type)):
		c.fail(v.At("ended_by", v.EndedBy), v.C, v.EndedBy+" does not take the one object that "+v.C+" is a method of", "correct ended_by:")
	case !ends(end):
		c.fail(v.At("ended_by", v.EndedBy), v.C,
			v.EndedBy+" returns "+end.Returns+", and Close can only call a verb that returns errno, minus1_errno or nothing",
			"correct ended_by:")
	}
}

// takesOne reports whether a verb takes a single handle of an object type.
func takesOne(v *spec.Verb, object string) bool {
	return len(v.Params) == 1 && v.Params[0].IsHandle(object)
}

// ends reports whether Close can call a verb.
func ends(v *spec.Verb) bool {
	return v.Returns == spec.RetErrno || v.Returns == spec.RetMinus1 || v.Returns == spec.RetVoid
}

// takesReceiver reports whether all methods of a verb are of an object type.
func takesReceiver(v *spec.Verb, object string) bool {
	return len(v.Methods) > 0 && !slices.ContainsFunc(v.Methods, func(m spec.Method) bool {
		recv, _, _ := strings.Cut(m.Go, ".")
		return recv != object
	})
}

// fixed holds the values that a method fixes against the parameters. Constants that the header lacks are reported elsewhere.
func (c *checker) fixed(v *spec.Verb, m *spec.Method, fn *api.Function) {
	ctypes := map[string]string{}
	for _, q := range c.facts.Callable(fn) {
		ctypes[q.Name] = q.Type
	}
	recv, _, _ := strings.Cut(m.Go, ".")
	for i := range v.Params {
		p := &v.Params[i]
		text, ok := m.Fixed[p.C]
		n, known := spec.ParseInt(text)
		if !known {
			n = c.facts.Const(text)
		}
		if !ok || ctypes[p.C] == "" || n == nil || n.Sign() < 0 {
			continue
		}
		t := c.facts.TypeOf(ctypes[p.C])
		_, high := t.Range()
		if t.Pointer && p.Role.Passes != role.PassesHost {
			high = new(big.Int)
		}
		mayBe := p.Role.Number() && p.Role != role.Mask || p.Null
		problem := ""
		switch {
		case p.IsHandle(recv):
			problem = "it is the receiver"
		case !mayBe:
			problem = "a parameter of role " + p.Role.Name + " without null: is always given"
		case n.Cmp(high) > 0:
			problem = "it is of type " + t.C
		default:
			continue
		}
		c.fail(m.At("fixed."+p.C, text), m.Go, "parameter "+p.C+" cannot be fixed to "+text+": "+problem, "correct fixed:")
	}
}
