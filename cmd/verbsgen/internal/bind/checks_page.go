package bind

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// ownLocals are names that a generated method uses itself, which no parameter may have.
var ownLocals = []string{
	"verb", "err", "errno", "l", "o", "in", "ptr", "pin", "release",
	"context", "devmem", "dl", "fmt", "mem", "object", "runtime", "syscall", "unsafe", "verr",
}

// checkPages finds what a page asks for that the emitter has no form for.
func (b *binder) checkPages() {
	facts := spec.NewFacts(b.in.Release)
	for _, p := range b.in.Spec.Pages {
		for i := range p.Records {
			b.checkRecord(&p.Records[i])
		}
		for i := range p.Objects {
			b.checkObject(facts, &p.Objects[i])
		}
		for i := range p.Verbs {
			b.checkVerb(&p.Verbs[i])
			b.checkRoles(facts, &p.Verbs[i])
			b.checkForms(facts, &p.Verbs[i])
		}
	}
}

// checkRecord finds Go names that a record has twice, and callbacks that there are not.
func (b *binder) checkRecord(r *spec.Record) {
	seen := map[string]string{}
	name := func(c, goName string, pos spec.Pos) {
		if first := seen[goName]; first != "" {
			b.errorf(diag.GoNameTwice, pos, r.Go+"."+goName, "both "+first+" and "+c+" get this Go name", "give one of them another name")
		}
		seen[goName] = c
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		name(f.C, f.Go, f.At("go", f.Go))
		b.checkCallback(r, f)
	}
	for _, s := range r.Switches {
		name(s.C, s.Go, s.Pos)
	}
}

// checkCallback holds what a field is for against its keys.
func (b *binder) checkCallback(r *spec.Record, f *spec.RecordField) {
	fail := func(problem, fix string) {
		b.errorf(diag.TypeUnknown, f.At("callback", f.Callback), r.Go+"."+f.Go, problem, fix)
	}
	switch f.Callback {
	case "", form.CallbackMemory, form.CallbackAllocator, form.CallbackContext:
	default:
		fail("struct "+r.C+" has no callback "+f.Callback, "take callback: out")
		return
	}
	if (f.Callback == form.CallbackMemory) != (f.Len != "") {
		fail("callback: memory and len: go together", "name the field with the length of the memory under len:")
	}
	if (f.Callback == form.CallbackAllocator) != (f.Pair != "" && f.Default != "") {
		fail("callback: allocator goes with pair: and default:", "name the function that frees, and the constant that leaves a request to the library")
	}
}

// checkVerb finds parameters that a method cannot take.
func (b *binder) checkVerb(v *spec.Verb) {
	for i := range v.Params {
		p := &v.Params[i]
		name := localName(p.Go, p.C)
		if slices.Contains(ownLocals, name) {
			b.errorf(diag.GoNameTwice, p.At("go", p.Go), v.C+"."+p.C, "the generated methods use the name "+name+" themselves", "choose another name under go:")
		}
		if p.Role == spec.RoleOut && p.Type != "" && p.Type != gidType {
			b.errorf(diag.TypeUnknown, p.At("type", p.Type), v.C+"."+p.C, "a parameter of role out cannot be of type "+p.Type, "leave type: out: the Go type follows from the C type")
		}
	}
}

// checkFits finds a value that the Go type of its enum cannot have.
func (b *binder) checkFits(e *model.Enum, m *model.Member, at spec.Pos) {
	low, high := int64(0), int64(1)<<32-1
	switch {
	case e.Bits == 64: // what looks negative has the highest bit set
		return
	case e.Signed:
		low, high = -1<<31, 1<<31-1
	}
	if m.Value >= low && m.Value <= high {
		return
	}
	problem := fmt.Sprintf("%s is %d, which a Go type of %d bits cannot have (%d to %d)", m.C, m.Value, e.Bits, low, high)
	fix := "write bits: 64"
	switch {
	case e.Flags && m.Value < 0: // of 64 bits it would be too, but as a flag it has no meaning
		problem = fmt.Sprintf("%s is %d, and a Go type of flags cannot hold a negative value", m.C, m.Value)
		fix = "leave it out of flags:"
	case !e.Flags:
		fix = "leave it out by naming the others under members:"
		if m.Value < 0 && !e.Signed {
			fix = "write signed: true"
		}
	}
	b.errorf(diag.TypeUnknown, at, e.Go, problem, fix)
}
