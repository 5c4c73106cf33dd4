package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// param adds one C parameter to the method: to its Go parameters, its preparation and the arguments of the raw call.
func (c *call) param(p *model.Param) {
	fixed, isFixed := c.m.Fixed[p.C]
	switch {
	case p == c.recv:
		c.args = append(c.args, p.Go+".c")
		c.in[p.C] = "validate.Addr(" + p.Go + ".c)"
	case c.isMemory(p):
		c.args = append(c.args, p.Go)
		c.in[p.C] = "uint64(" + p.Go + ")"
	case isFixed && (p.Role != spec.RoleFlags):
		c.fixedParam(p, fixed)
	case p.Role == spec.RoleHandle:
		c.handleParam(p)
	case p.Role == spec.RoleInRec:
		c.recordParam(p)
	case p.Role == spec.RoleOutRec:
		c.prep = append(c.prep, fmt.Sprintf("var %sC %s", p.Go, p.Record.Mirror.Name))
		c.args = append(c.args, "unsafe.Pointer(&"+p.Go+"C)")
		c.in[p.C] = "1"
	case p.Role == spec.RoleMask:
		c.maskParam(p)
	case p.Role == spec.RoleOut:
		c.prep = append(c.prep, fmt.Sprintf("var %s %s", p.Go, c.outType(p)))
		c.args = append(c.args, "unsafe.Pointer(&"+p.Go+")")
		c.in[p.C] = "1"
	case p.Role == spec.RoleSlice:
		c.sliceParam(p)
	case c.isSliceLen(p):
		c.args = append(c.args, fmt.Sprintf("%s(len(%sC))", c.rawType(p), c.sliceOf(p).Go))
		c.in[p.C] = "uint64(len(" + c.sliceOf(p).Go + "))"
	default:
		c.valueParam(p)
	}
}

// fixedParam passes a value that the spec fixes.
func (c *call) fixedParam(p *model.Param, value string) {
	n, err := strconv.ParseUint(value, 0, 64)
	if value == "NULL" {
		n, err = 0, nil
	}
	if v := constants(c.e.pkg.Facts)[value]; err != nil && v != nil {
		n = v.Uint64()
	}
	arg := strconv.FormatUint(n, 10)
	if p.Role == spec.RoleHandle || p.Role == spec.RoleInRec {
		arg = "nil"
	}
	c.args = append(c.args, arg)
	c.in[p.C] = strconv.FormatUint(n, 10)
}

func (c *call) handleParam(p *model.Param) {
	c.params = append(c.params, p.Go+" "+p.GoType)
	c.addDoc(p)
	if !p.Null {
		c.enter(p.Go)
		c.args = append(c.args, p.Go+".c")
		c.in[p.C] = "validate.Addr(" + p.Go + ".c)"
		return
	}
	c.pre = append(c.pre, fmt.Sprintf("var %[1]sC unsafe.Pointer\nif %[1]s != nil {\nif err := %[1]s.enter(verb); err != nil {\nreturn %[2]serr\n}\ndefer %[1]s.node.Exit()\n%[1]sC = %[1]s.c\n}", p.Go, c.fail))
	c.args = append(c.args, p.Go+"C")
	c.in[p.C] = "validate.Addr(" + p.Go + "C)"
}

// recordParam passes a copy of the builder's mirror, with the handles' C pointers filled in.
func (c *call) recordParam(p *model.Param) {
	c.params = append(c.params, p.Go+" *"+p.GoType)
	c.addDoc(p)
	c.pre = append(c.pre, fmt.Sprintf("if %[1]s == nil {\nreturn %[2]sverr.NilValue(verb, %[3]q, \"make one with New%[3]s\")\n}", p.Go, c.fail, p.Record.Go), fmt.Sprintf("%[1]sC := %[1]s.c", p.Go))
	if hasInt(p.Record) {
		c.pre = append(c.pre, fmt.Sprintf("if %[1]s.err != nil {\nreturn %[2]s%[1]s.err\n}", p.Go, c.fail))
	}
	c.heldMemory(p)
	for _, f := range p.Record.Fields {
		if f.Object == nil {
			continue
		}
		h := p.Go + "." + lowerFirst(f.Go)
		bit := ""
		if f.Bit != nil && p.Record.Mask != "" {
			bit = fmt.Sprintf("\n%sC.%s |= 0x%x // %s", p.Go, p.Record.Mask, uint64(f.BitValue), f.Bit.C)
		}
		c.pre = append(c.pre, fmt.Sprintf("if %[1]s != nil {\nif err := %[1]s.enter(verb); err != nil {\nreturn %[2]serr\n}\ndefer %[1]s.node.Exit()\n%[3]sC.%[4]s = uintptr(%[1]s.c)%[5]s\n}", h, c.fail, p.Go, f.Leaf.Go, bit))
	}
	if c.m.Form == formParent {
		c.pre = append(c.pre, parentDomainPrep(p, c.fail))
		c.keep = true
		c.post = append(c.post, "o.parent = "+p.Go+".pd", "o.calls = calls", "calls.bind(o)")
	}
	c.args = append(c.args, "unsafe.Pointer(&"+p.Go+"C)")
	c.in[p.C] = "1"
}

// maskParam passes the mask that the builder of another parameter kept.
func (c *call) maskParam(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Role == spec.RoleInRec && q.Record == p.Record {
			c.args = append(c.args, fmt.Sprintf("%s(%s.mask)", c.rawType(p), q.Go))
			c.in[p.C] = "uint64(" + q.Go + ".mask)"
		}
	}
}

// fieldParents are the handles in a record's fields that the new object lives under.
func (c *call) fieldParents() []string {
	var out []string
	for _, p := range c.v.Params {
		if p.Role != spec.RoleInRec {
			continue
		}
		for _, f := range p.Record.Fields {
			if f.Object != nil {
				out = append(out, fmt.Sprintf("nodeOf%s(%s.%s)", f.Object.Go, p.Go, lowerFirst(f.Go)))
			}
		}
	}
	return out
}

// sliceParam passes a list of records as an array of their mirrors.
func (c *call) sliceParam(p *model.Param) {
	c.params = append(c.params, p.Go+" []"+p.GoType)
	c.addDoc(p)
	c.prep = append(c.prep, fmt.Sprintf("%[1]sC := make([]%[2]s, len(%[1]s))\nfor i := range %[1]s {\n%[1]s[i].to(&%[1]sC[i])\n}", p.Go, p.Record.Mirror.Name))
	c.args = append(c.args, "unsafe.Pointer(unsafe.SliceData("+p.Go+"C))")
	c.in[p.C] = "uint64(len(" + p.Go + "))"
}

func (c *call) sliceOf(n *model.Param) *model.Param {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleSlice && p.Len == n {
			return p
		}
	}
	return nil
}

func (c *call) isSliceLen(p *model.Param) bool { return c.sliceOf(p) != nil }

// valueParam passes a number, flags or an enum.
func (c *call) valueParam(p *model.Param) {
	if p.Rest {
		c.restParam(p)
		return
	}
	c.params = append(c.params, p.Go+" "+p.GoType)
	c.addDoc(p)
	if c.m.Form == formImplicit && p.Role == spec.RoleFlags {
		for _, m := range p.Enum.Members {
			if m.C == "IBV_ACCESS_ON_DEMAND" {
				c.pre = append(c.pre, fmt.Sprintf("%s |= %s", p.Go, m.Go))
			}
		}
	}
	if c.m.Form == formImportDM && p.C == "dm_handle" {
		c.params = append(c.params, "length uint64")
		c.docs = append(c.docs, "length: length of the device memory in bytes; 0 when it is not known, and then copies go through the provider, unless the provider tells it.")
	}
	if p.GoType == "int" {
		c.pre = append(c.pre, fmt.Sprintf("if int(int32(%[1]s)) != %[1]s {\nreturn %[2]sverr.OutOfRange(verb, %[3]q, %[1]s)\n}", p.Go, c.fail, p.C))
	}
	arg := p.Go
	if rt := c.rawType(p); rt != p.GoType {
		arg = rt + "(" + p.Go + ")"
	}
	c.args = append(c.args, arg)
	c.in[p.C] = "uint64(" + p.Go + ")"
	if signed(p) {
		c.in[p.C] = "int64(" + p.Go + ")"
	}
}

// restParam passes flags that are given one by one.
func (c *call) restParam(p *model.Param) {
	c.params = append(c.params, p.Go+" ..."+p.GoType)
	c.addDoc(p)
	c.pre = append(c.pre, fmt.Sprintf("var %[1]sC %[2]s\nfor _, f := range %[1]s {\n%[1]sC |= f\n}\nif len(%[1]s) == 0 {\n%[1]sC = 0x%[3]x // all that there are\n}", p.Go, p.GoType, p.Enum.Known))
	c.args = append(c.args, c.rawType(p)+"("+p.Go+"C)")
	c.in[p.C] = "uint64(" + p.Go + "C)"
}

func signed(p *model.Param) bool { return p.GoType == "int" || p.GoType == "int64" }

func (c *call) addDoc(p *model.Param) {
	if p.Doc != "" {
		c.docs = append(c.docs, p.Go+": "+strings.TrimSuffix(p.Doc, ".")+".")
	}
}

// rawType is the type of a value in the raw call.
func (c *call) rawType(p *model.Param) string { return c.e.intOf(p.CType) }

// outType is the Go type behind a pointer to one scalar.
func (c *call) outType(p *model.Param) string {
	if p.GoType != "" {
		return p.GoType
	}
	return c.e.intOf(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(p.CType), "*")))
}
