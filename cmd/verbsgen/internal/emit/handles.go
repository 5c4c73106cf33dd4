package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// root is the Go name of the object that everything else is made from: the first without parents.
func (e *emitter) root() string {
	for _, o := range e.pkg.Objects {
		if len(o.Parents) == 0 {
			return o.Go
		}
	}
	return ""
}

// handlesFile writes the handle types: their getters, and how they are closed.
func (e *emitter) handlesFile() *goFile {
	g := e.newFile("handles.gen.go")
	for _, o := range e.pkg.Objects {
		e.handleType(g, o)
		e.handleNew(g, o)
		e.handleClose(g, o)
		e.getters(g, o)
		if o.Device {
			e.deviceMemory(g)
		}
	}
	return g
}

// changes tells whether a verb changes the object in place: then its getters may run beside it.
func (e *emitter) changes(o *model.Object) bool {
	v := e.byVerb["ibv_rereg_mr"]
	return v != nil && len(v.Params) > 0 && v.Params[0].Object == o
}

// owners are the parents of an object below the root: the handle keeps them.
func (e *emitter) owners(o *model.Object) []*model.Object {
	var out []*model.Object
	for _, p := range o.Parents {
		if p.Go != e.root() {
			out = append(out, p)
		}
	}
	return out
}

// isParent tells whether something is made from the object.
func (e *emitter) isParent(o *model.Object) bool {
	for _, x := range e.pkg.Objects {
		for _, p := range x.Parents {
			if p == o {
				return true
			}
		}
	}
	return false
}

func (e *emitter) handleType(g *goFile, o *model.Object) {
	var extra strings.Builder
	if o.Go == e.root() && e.capsRecord() != nil {
		fmt.Fprintf(&extra, "caps atomic.Pointer[%s] // as last queried, for the rules that need them\n", e.capsRecord().Mirror.Name)
	}
	if o.Device {
		extra.WriteString("mem devmem.DM\n")
		if e.byVerb["ibv_import_dm"] != nil {
			extra.WriteString("imported bool\n")
		}
	}
	extra.WriteString(e.eventFields(o))
	if o.C == "ibv_cq" && e.byVerb["ibv_create_comp_channel"] != nil {
		extra.WriteString("channel *CompChannel // where its events arrive, or nil\n")
	}
	if e.parentDomain() != nil && o.Go == e.parentDomain().Creates.Go {
		extra.WriteString("parent *PD // of a parent domain\ncalls *allocCalls // of a parent domain\n")
	}
	if e.changes(o) {
		extra.WriteString("mu sync.Mutex // guards what a change in place changes\n")
	}
	for _, p := range e.owners(o) {
		fmt.Fprintf(&extra, "%s *%s\n", lowerFirst(p.Go), p.Go)
	}
	for _, x := range o.Getters {
		fmt.Fprintf(&extra, "%s %s\n", naming.Local(x.C), x.GoType)
	}
	dev := "dev *" + e.root() + "\n"
	if o.Go == e.root() {
		dev = ""
	}
	g.add("%s\ntype %s struct {\nnode object.Node\nlib *Lib\n%sc unsafe.Pointer\nrelease func() // after the C object is gone\n%s}",
		doc(o.Go, "is a handle: "+strings.ToLower(o.Doc[:1])+o.Doc[1:], "struct "+o.C, o.Page), o.Go, dev, extra.String())
	g.add(`
// enter begins the use of the handle by a verb; exit ends it.
func (o *%s) enter(verb string) error {
	if o == nil {
		return verr.NilHandle(verb, "%s")
	}
	return o.node.Enter(verb)
}`, o.Go, o.Go)
}

// handleNew writes the constructor from a C object and the reading of its fields.
func (e *emitter) handleNew(g *goFile, o *model.Object) {
	params, lit := "dev *"+e.root(), "lib: dev.lib, dev: dev, c: c"
	if o.Go == e.root() {
		params, lit = "lib *Lib", "lib: lib, c: c"
	}
	g.add(`
// new%[1]s makes the handle of a C object. It is open, and seen by its parents, once it is adopted.
func new%[1]s(%[2]s, c unsafe.Pointer) *%[1]s {
	o := &%[1]s{%[3]s}
	o.load()
	return o
}

// adopt opens the handle under its parents. When that fails, the C object is given back.
func (o *%[1]s) adopt(parents ...*object.Node) error {
%[5]s	if err := o.node.Init(o, %[4]q, o.label(), parents...); err != nil {
		return errors.Join(err, o.destroy())
	}
	return nil
}`, o.Go, params, lit, o.Go, e.beforeAdopt(o))
	var load strings.Builder
	label := `""`
	for _, x := range o.Getters {
		off := e.offset(o.C, x.C)
		read := fmt.Sprintf("*(*%s)(unsafe.Add(o.c, %d))", cGo(x), off)
		if cGo(x) != x.GoType {
			read = x.GoType + "(" + read + ")"
		}
		fmt.Fprintf(&load, "o.%s = %s // %s\n", naming.Local(x.C), read, x.C)
		switch {
		case x.C == "lkey":
			label = `"lkey 0x" + strconv.FormatUint(uint64(o.lkey), 16)`
		case x.C == "handle" && label == `""`:
			label = `"handle " + strconv.FormatUint(uint64(o.handle), 10)`
		}
	}
	g.add("// load keeps the fields of struct %s that have a getter, so that no getter reads C memory.\nfunc (o *%s) load() {\n%s}", o.C, o.Go, load.String())
	if e.parentDomain() != nil && o.Go == e.parentDomain().Creates.Go {
		g.add("// label names the single object in messages; a parent domain has the handle of the domain that it extends.\nfunc (o *%s) label() string {\nif o.parent != nil {\nreturn \"parent domain of handle \" + strconv.FormatUint(uint64(o.handle), 10)\n}\nreturn %s\n}", o.Go, label)
		return
	}
	g.add("// label names the single object in messages.\nfunc (o *%s) label() string { return %s }", o.Go, label)
}

// cGo is the Go type with the layout of a getter's C field.
func cGo(x *model.Getter) string {
	if x.GoType == "int" {
		return "int32"
	}
	return x.GoType
}

// offset is that of a field, from the facts; getters stand before any member whose size depends on the ABI.
func (e *emitter) offset(tag, field string) int64 {
	for _, r := range e.pkg.Facts.Records {
		if r.Tag != "struct "+tag {
			continue
		}
		for _, f := range r.Fields {
			if f.Name == field {
				return f.Offset
			}
		}
	}
	return 0
}

func (e *emitter) handleClose(g *goFile, o *model.Object) {
	d := o.Destroy
	g.add("%s\nfunc (o *%s) Close() error {\nif o == nil {\nreturn verr.NilHandle(%q, %q)\n}\nreturn o.node.Close(%q, o.destroy)\n}",
		doc("Close", closes(o), d.C, d.Page), o.Go, d.C, o.Go, d.C)
	switch {
	case o.Device:
		e.destroyDM(g, o)
	default:
		g.add("// destroy gives the C object back.\nfunc (o *%s) destroy() error {\n%s%s}", o.Go, e.beforeEnd(o)+e.destroyCall(d, "o"), e.afterEnd(o)+"if o.release != nil {\no.release()\n}\nreturn nil\n")
	}
	if e.isParent(o) {
		g.add("%s\nfunc (o *%s) CloseAll() error {\nif o == nil {\nreturn verr.NilHandle(%q, %q)\n}\nreturn object.CloseTree(&o.node)\n}",
			doc("CloseAll", "closes everything that was made from the "+o.Go+", the latest first, and then the "+o.Go+" itself; it fits a defer. Errors are joined", "", ""), o.Go, d.C, o.Go)
	}
	for _, p := range e.owners(o) {
		g.add("// %[1]s gives the %[1]s that the %[2]s belongs to.\nfunc (o *%[2]s) %[1]s() *%[1]s {\n%[4]sreturn o.%[3]s\n}", p.Go, o.Go, lowerFirst(p.Go), e.lock(o))
	}
	if o.Go != e.root() {
		g.add("// %[1]s gives the %[1]s that the %[2]s belongs to.\nfunc (o *%[2]s) %[1]s() *%[1]s { return o.dev }", e.root(), o.Go)
	}
}

// beforeEnd and afterEnd are what an object's own end needs around the destroying call.
func (e *emitter) beforeEnd(o *model.Object) string {
	if e.listens(o) {
		return "o.unlisten()\n"
	}
	return ""
}

func (e *emitter) afterEnd(o *model.Object) string {
	s := ""
	if e.indexed(o) {
		s = "o.dev.handles.Remove(uintptr(o.c), o)\n"
	}
	if o.Hot {
		s += "o.c = nil // the data path looks at it\n"
	}
	return s
}

func closes(o *model.Object) string {
	return fmt.Sprintf("%s. It is refused (syscall.EBUSY) while something made from the %s is open, which the error names; a second Close is os.ErrClosed. When it fails, the %s stays open", strings.TrimSuffix(oDestroyDoc(o), "."), o.Go, o.Go)
}

func oDestroyDoc(o *model.Object) string { return o.Destroy.Doc }

// destroyCall writes the call of a destroying verb on handle h, with an early return of its error.
func (e *emitter) destroyCall(d *model.Verb, h string) string {
	call := fmt.Sprintf("raw%s(%s%s.c)", d.Go, e.fnArgs(d, h+".lib"), h)
	if d.Returns == spec.RetVoid {
		return e.missingCheck(d, h+".lib", "return ") + call + "\n"
	}
	if d.Returns == spec.RetMinus1 {
		return fmt.Sprintf("%sif n, errno := %s; n != 0 {\nreturn verr.Failed(%q, errno, nil)\n}\n", e.missingCheck(d, h+".lib", "return "), call, d.C)
	}
	return fmt.Sprintf("%sif errno := %s; errno != 0 {\nreturn verr.Failed(%q, errno, nil)\n}\n", e.missingCheck(d, h+".lib", "return "), call, d.C)
}

// missingCheck writes the test for a symbol that the loaded library lacks. Of the functions of a special any one is
// enough, and an op of the context may stand in for them all.
func (e *emitter) missingCheck(v *model.Verb, lib, ret string) string {
	syms := verbSymbols(v)
	if len(syms) == 0 || v.Special != nil && v.Special.Op {
		return ""
	}
	var conds []string
	for _, s := range syms {
		conds = append(conds, fmt.Sprintf("%s.fn[%s] == 0", lib, symConst(s)))
	}
	return fmt.Sprintf("if %s {\n%s%s.missing(%q, %s)\n}\n", strings.Join(conds, " && "), ret, lib, v.C, symConst(syms[0]))
}

// fnArgs writes the leading arguments of a raw call: addresses of exported functions.
func (e *emitter) fnArgs(v *model.Verb, lib string) string {
	var b strings.Builder
	for _, s := range verbSymbols(v) {
		fmt.Fprintf(&b, "%s.fn[%s], ", lib, symConst(s))
	}
	return b.String()
}

// verbSymbols lists the exported functions that a verb's shim calls.
func verbSymbols(v *model.Verb) []*model.Symbol {
	switch {
	case v.Special != nil:
		return v.Special.Symbols
	case v.Symbol != nil:
		return []*model.Symbol{v.Symbol}
	}
	return nil
}

// lock is what a getter begins with.
func (e *emitter) lock(o *model.Object) string {
	if e.changes(o) {
		return "o.mu.Lock()\ndefer o.mu.Unlock()\n"
	}
	return ""
}

func (e *emitter) getters(g *goFile, o *model.Object) {
	for _, x := range o.Getters {
		g.add("%s\nfunc (o *%s) %s() %s {\n%sreturn o.%s\n}", doc(x.Go, "gives the "+strings.TrimPrefix(x.Doc, "the "), "struct "+o.C+"."+x.C, o.Page), o.Go, x.Go, x.GoType, e.lock(o), naming.Local(x.C))
	}
	if e.parentDomain() != nil && o.Go == e.parentDomain().Creates.Go {
		g.add("// Parent gives the protection domain that a parent domain extends; nil for a plain one.\nfunc (o *%s) Parent() *%s { return o.parent }", o.Go, o.Go)
	}
}

// parentDomain is the verb that makes parent domains, when the package has it.
func (e *emitter) parentDomain() *model.Verb { return e.byVerb["ibv_alloc_parent_domain"] }

// capsRecord is the record that holds the device's capabilities, when the package has it.
func (e *emitter) capsRecord() *model.Record {
	for _, r := range e.pkg.Records {
		if r.C == "ibv_device_attr_ex" {
			return r
		}
	}
	return nil
}
