// Package plan decides what the generated code does, as data: which functions and types each file has, and which steps each
// method takes. Emit prints a plan and decides nothing.
//
// Read steps.go first: its types are all that a method can do. It knows the forms of methods; it knows no jennifer, and
// no Go text beyond names.
package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Package is the plan of a generated package.
type Package struct {
	Lib     []Decl                  // of the file of the library
	Objects []*File                 // a file for each object
	Records []Decl                  // builders and results
	Index   bool                    // the library keeps handles by their C addresses
	Others  []Decl                  // what packages of other libraries may take and make
	Shims   []*Shim                 // the functions that cross into C
	Codes   map[*model.Enum][]Decl  // conversions of values
	Texts   map[*model.Union][]Decl // values of unions as text
	Home    map[*model.Verb]string  // the object, or Lib, that a verb is called on
	Special []*special.File         // files that are written by hand
}

// File is the plan of the file of one object.
type File struct {
	Object string // Go name
	Decls  []Decl
}

// Decl is a declaration: a *Method, a *Struct, a Handle, a Closer, an Alias, a Variable, an Once, or Elements.
type Decl any

// Method is a function, or a method when it has a receiver.
type Method struct {
	Doc     Doc
	Recv    Var
	Name    string
	Verb    *model.Verb // that it is the Go face of; nil for a helper
	Params  []Var
	Results []Var
	Zero    []Value // what is returned beside an error
	Steps   []Step
	Short   bool // on one line
	OrZero  bool // a nil receiver counts as a zero value
}

// Var is a variable, a parameter, a result or a field of a struct, with its type as the model writes it ("*MR").
type Var struct {
	Name, Type string
	Remark     string // behind a field
	Doc        string // above a field
	Gap        bool   // a blank line above a field
}

// Doc is the comment of a declaration: what it does, further paragraphs, the C name and the page. One with Text has that alone.
type Doc struct {
	Does    string
	More    []string
	C, Page string
	Text    string
}

// Struct is a struct type.
type Struct struct {
	Doc    Doc
	Name   string
	Fields []Var
}

// Alias is a type that a package under runtime/ has.
type Alias struct {
	Doc     Doc
	Name    string
	Package string
}

// Once is a variable with the errors of a method on the data path, made once.
type Once struct{ Name, Verb, Kind string }

// Variable is one with the value of that of its name in a package under runtime/.
type Variable struct{ Name, Package, Text string }

// Elements is what each asynchronous event concerns.
type Elements struct {
	Objects []string // Go names of the objects, numbered in this order
	Of      []ElementOf
}

// ElementOf is what one event concerns: the Go name of an object, spec.EventOfPort, or nothing.
type ElementOf struct{ Event, Is string }

// Arms is the type that stands for any of several records, and what a method asks of one.
type Arms struct {
	Tail *model.Tail
	Dev  string // Go name of the root object
}

// ArmMethods are the methods of one of them: its bytes, and the handles that it has.
type ArmMethods struct {
	Record *model.Record
	Dev    string
}

// Shim is a Go function that calls C.
type Shim struct {
	Verb   *model.Verb
	Params []Cross
	Answer Answer
	Result string // Go type of a value that cannot fail
	Serial bool   // calls of the library run one after another, and no caller sees to it
}

// Cross is a parameter of a Shim: a number, a pointer to memory of C, or one to memory of Go, which stays in place for the call.
type Cross struct {
	Name, Type string
	Memory     bool // of Go
}

// builder is the state of one plan.
type builder struct {
	pkg     *model.Package
	ctypes  map[string]string
	written []*special.File
	full    bool // the error of a full queue is planned
	errs    []error
}

// Of plans a package. What cannot be resolved is a defect of the generator: the error names the verb and the parameter.
func Of(pkg *model.Package) (*Package, error) {
	for _, o := range pkg.Objects {
		if o.Destroy == nil {
			return nil, fmt.Errorf("struct %s: the release has no function that ends it, and its handle is not bound without", o.C)
		}
	}
	b := newBuilder(pkg)
	p := &Package{Shims: b.shims(), Home: map[*model.Verb]string{}, Codes: map[*model.Enum][]Decl{}, Texts: map[*model.Union][]Decl{}}
	for _, v := range pkg.Verbs {
		p.Home[v] = b.home(v)
	}
	var err error
	if p.Special, err = special.In(b.isWritten, b.declares); err != nil {
		return nil, err
	}
	b.written = p.Special
	files := map[string]*[]Decl{"Lib": &p.Lib}
	for _, o := range pkg.Objects {
		f := &File{Object: o.Go, Decls: b.handle(o)}
		files[o.Go] = &f.Decls
		p.Objects = append(p.Objects, f)
	}
	for _, v := range pkg.Verbs {
		for _, m := range v.Methods {
			b.face(files, v, m)
		}
		if v.View != nil {
			p.Objects = append(p.Objects, &File{v.View.Go, b.viewTypes(v)})
		}
	}
	if root := files[b.root()]; root != nil {
		*root = append(*root, b.elementsOf()...)
	}
	for _, t := range pkg.Enums {
		p.Codes[t] = codes(t)
	}
	for _, u := range pkg.Unions {
		p.Texts[u] = texts(u)
	}
	for _, r := range pkg.Records {
		p.Records = append(p.Records, b.record(r)...)
	}
	p.Records = append(p.Records, b.arms()...)
	p.Others = b.others()
	p.Index = b.root() == "" && slices.ContainsFunc(pkg.Objects, b.indexed)
	return p, errors.Join(b.errs...)
}

func newBuilder(pkg *model.Package) *builder {
	return &builder{pkg: pkg, ctypes: map[string]string{}}
}

// errorf notes a defect: what is asked of the model and not there.
func (b *builder) errorf(about, format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s: %s", about, fmt.Sprintf(format, args...)))
}

// A planner plans one Go face of a verb.
type planner func(b *builder, v *model.Verb, m *model.Method) []Decl

// planners has one for each form.
var planners = map[string]planner{
	form.Plain:      (*builder).method,
	form.Bytes:      (*builder).registers,
	form.Buffer:     (*builder).registers,
	form.Pin:        (*builder).registers,
	form.Addr:       (*builder).registers,
	form.Implicit:   (*builder).registers,
	form.End:        (*builder).end,
	form.Special:    (*builder).special,
	form.Reader:     (*builder).reader,
	form.Stream:     (*builder).stream,
	form.View:       (*builder).view,
	form.NextRecord: (*builder).nextRecord,
}

// face plans one Go face of a verb, by its form, in the file of its receiver.
func (b *builder) face(files map[string]*[]Decl, v *model.Verb, m *model.Method) {
	plan, known := planners[m.Form]
	switch decls := files[m.Recv]; {
	case !known:
		b.errorf(v.C, "nothing plans %s.%s of form %s", m.Recv, m.Name, m.Form)
	case decls == nil && m.Form == form.Special: // of a type of its own
	case decls == nil:
		b.errorf(v.C, "%s.%s is a method of a type that is neither an object nor Lib", m.Recv, m.Name)
	default:
		*decls = append(*decls, plan(b, v, m)...)
	}
}

// home is what a verb is called on: an object, or Lib. A verb of an event is at home on the object that the rest is made from.
func (b *builder) home(v *model.Verb) string {
	if v.Explained { // it may have a method of what requests name, too
		return v.Params[0].Object.Go
	}
	for _, o := range b.pkg.Objects {
		if o.Destroy == v || v.Inner && v.Params[0].Object == o ||
			slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv == o.Go }) {
			return o.Go
		}
	}
	if slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv != "Lib" }) {
		return b.root()
	}
	return "Lib"
}

// integer is the Go integer that carries a C integer, enum or pointer.
func (b *builder) integer(about, ctype string) string {
	if t, ok := b.ctypes[ctype]; ok {
		return t
	}
	t, err := cdecl.Classify(b.pkg.Facts, ctype)
	is := t.GoInt()
	switch {
	case err != nil:
		b.errorf(about, "%v", err)
	case t.Kind == cdecl.Pointer || t.Kind == cdecl.Func:
		is = "uintptr"
	case is == "":
		b.errorf(about, "C type %q is no integer and no pointer", ctype)
	}
	b.ctypes[ctype] = is
	return is
}

// shims plans the functions that cross into C: all but those that a package under runtime/ calls.
func (b *builder) shims() (out []*Shim) {
	for _, v := range b.pkg.Verbs {
		own := len(v.Methods) == 0 && !v.Inner
		for _, m := range v.Methods {
			f := form.Of(v.C, m.Form)
			own = own || f != nil && !f.Runtime
		}
		if own {
			out = append(out, b.shim(v))
		}
	}
	return out
}

func (b *builder) shim(v *model.Verb) *Shim {
	if v.Reads != nil {
		return &Shim{Verb: v, Params: readerParams, Answer: Nothing}
	}
	if v.Stream != nil {
		return &Shim{Verb: v, Params: streamParams, Answer: Nothing}
	}
	if v.View != nil {
		return &Shim{Verb: v, Params: viewParams, Answer: Nothing}
	}
	s := &Shim{Verb: v, Answer: answer(v), Serial: b.pkg.Module.Serial && !b.readsRecords(v) && !b.mayWait(v)}
	for i := range v.Symbols() {
		s.Params = append(s.Params, Cross{Name: fmt.Sprintf("fn%d", i), Type: "uintptr"})
	}
	for _, p := range v.Params {
		x := Cross{Name: p.Go, Type: pointer}
		switch {
		case OfGo(p):
			x.Memory = true
		case p.Role.Passes == role.PassesHost:
			x.Type = p.GoType
		case p.Role.Passes == role.PassesValue:
			x.Type = b.integer(v.C+"."+p.C, p.CType)
		}
		s.Params = append(s.Params, x)
	}
	if v.Returns == spec.RetValue {
		s.Result = pointer
		if !strings.HasSuffix(v.CRet, "*") {
			s.Result = b.integer(v.C, v.CRet)
		}
	}
	return s
}

// Page names a man page in a doc comment.
func Page(p string) string { return p + "(3)" }

// OfGo reports whether a parameter is the address of memory of Go, which stays in place for the call.
func OfGo(p *model.Param) bool { return p.Role.Passes == role.PassesMemory || p.Union != nil }
