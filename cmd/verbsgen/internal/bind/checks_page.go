package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// formVerbs are the forms of methods that are written for some verbs alone, with these verbs. The others are plainForms.
var formVerbs = map[string][]string{
	"comp_channel":  {"ibv_create_comp_channel"},
	"create_cq":     {"ibv_create_cq"},
	"device_list":   {"ibv_get_device_list"},
	"devmem":        {"ibv_memcpy_to_dm", "ibv_memcpy_from_dm"},
	"import_dm":     {"ibv_import_dm"},
	"next_async":    {"ibv_get_async_event", "ibv_ack_async_event"},
	"next_event":    {"ibv_get_cq_event", "ibv_ack_cq_events"},
	"open_device":   {"ibv_open_device"},
	"parent_domain": {"ibv_alloc_parent_domain"},
	"poll_cq":       {"ibv_poll_cq"},
	"post_recv":     {"ibv_post_recv"},
	"post_send":     {"ibv_post_send"},
	"req_notify":    {"ibv_req_notify_cq"},
	"rereg":         {"ibv_rereg_mr"},
}

// callbacks are the groups of fields that the emitter has a form for, with the record that each is of.
var callbacks = map[string]string{
	"allocator": "ibv_parent_domain_init_attr", "context": "ibv_parent_domain_init_attr", "memory": "ibv_mr_init_attr",
}

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
		for i := range p.Verbs {
			b.checkVerb(&p.Verbs[i])
			b.checkRoles(facts, &p.Verbs[i])
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
		if f.Callback != "" && callbacks[f.Callback] != r.C {
			b.errorf(diag.TypeUnknown, f.At("callback", f.Callback), r.Go+"."+f.Go, "struct "+r.C+" has no callback "+f.Callback, "take callback: out")
		}
	}
	for _, s := range r.Switches {
		name(s.C, s.Go, s.Pos)
	}
}

// checkVerb finds forms that a verb cannot have, and parameters that a method cannot take.
func (b *binder) checkVerb(v *spec.Verb) {
	for i := range v.Params {
		p := &v.Params[i]
		name := p.Go
		if name == "" && p.C != "context" { // which has a name of its own
			name = naming.Local(p.C)
		}
		if slices.Contains(ownLocals, name) {
			b.errorf(diag.GoNameTwice, p.At("go", p.Go), v.C+"."+p.C, "the generated methods use the name "+name+" themselves", "choose another name under go:")
		}
		if p.Role == spec.RoleOut && p.Type != "" && p.Type != gidType {
			b.errorf(diag.TypeUnknown, p.At("type", p.Type), v.C+"."+p.C, "a parameter of role out cannot be of type "+p.Type, "leave type: out: the Go type follows from the C type")
		}
	}
	for i := range v.Methods {
		m := &v.Methods[i]
		verbs, special := formVerbs[m.Form]
		switch {
		case m.Form == "" || special && slices.Contains(verbs, v.C):
		case special:
			b.errorf(diag.TypeUnknown, m.At("form", m.Form), m.Go, "form "+m.Form+" is written for "+strings.Join(verbs, " and "), "take form: out")
		case !slices.Contains(plainForms, m.Form):
			b.errorf(diag.TypeUnknown, m.At("form", m.Form), m.Go, "there is no form "+m.Form, "write one of "+strings.Join(plainForms, ", ")+", or leave form: out")
		case m.Form != "implicit" && !hasMemory(v):
			b.errorf(diag.TypeUnknown, m.At("form", m.Form), m.Go, "form "+m.Form+" is for a verb with an address and its length", "take form: out, or name the length under len:")
		}
	}
}

// hasMemory tells whether a verb takes an address of memory with its length, by themselves or in a record.
func hasMemory(v *spec.Verb) bool {
	return slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.Role == spec.RoleAddr && p.Len != "" || p.Role == spec.RoleInRec })
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
	fix := "write bits: 64"
	if !e.Flags {
		fix = "leave it out by naming the others under members:"
		if m.Value < 0 && !e.Signed {
			fix = "write signed: true"
		}
	}
	b.errorf(diag.TypeUnknown, at, e.Go, fmt.Sprintf("%s is %d, which a Go type of %d bits cannot have (%d to %d)", m.C, m.Value, e.Bits, low, high), fix)
}
