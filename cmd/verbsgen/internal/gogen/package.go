// Package gogen writes a bound model out as Go, by jennifer.
//
// It has one writer for each kind of thing: methods and their parameters, handles, records, enums, rules, readers and streams, what other
// packages may use, the library. Each goes from the model straight to jennifer, with the vocabulary of words.go, and has the Go that it
// makes as its comment. Begin with methods.go. It knows nothing of the C parser or of YAML, and C only by package cgen.
package gogen

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/runtime/gensupport"
	"github.com/verbsgen/verbsgen/spec/api"
)

// emitter is the state of one Package.
type emitter struct {
	pkg     *model.Package
	prefix  string // of the C functions
	written []*form.File
	types   *cgen.Types
	done    map[string]bool // declarations that are written once
	started []*rendering
	slots   chan struct{} // one for each file that is being formatted
	errs    []error       // of what cannot be written
}

func newEmitter(pkg *model.Package) *emitter {
	return &emitter{pkg: pkg, types: cgen.NewTypes(pkg.Facts), done: map[string]bool{}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Package returns the Go files of a generated package, whose C functions have names with a prefix. What cannot be resolved is a defect of
// the generator: the error names the verb and the parameter.
func Package(pkg *model.Package, prefix string) (files []output.File, err error) {
	for _, o := range pkg.Objects {
		if o.Destroy == nil {
			return nil, fmt.Errorf("struct %s: the release has no function that ends it, and its handle is not bound without", o.C)
		}
	}
	e := newEmitter(pkg)
	e.prefix = prefix
	if e.written, err = form.FilesOf(e.isWritten, e.declares); err != nil {
		return nil, err
	}
	for _, file := range []func() *goFile{e.recordsFile, e.enumsFile, e.rawFile, e.rawStubFile, e.othersFile, e.docFile, e.checkTestFile} {
		e.render(file())
	}
	e.checkFiles()
	e.methodFiles()
	if files, err = e.finish(); err != nil {
		return nil, err
	}
	for _, f := range e.written {
		if strings.TrimSpace(f.Body) != "" {
			files = append(files, e.copied(f))
		}
	}
	return files, nil
}

// methodFiles writes the file of the library, and one for each object and view: types with their methods.
func (e *emitter) methodFiles() {
	lib := e.libFile()
	files := map[string]*goFile{"Lib": lib}
	all := []*goFile{lib}
	for _, o := range e.pkg.Objects {
		g := e.newFile(strings.ToLower(o.Go) + ".gen.go")
		e.handle(g, o)
		files[o.Go], all = g, append(all, g)
	}
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			e.face(files[m.Recv], v, m)
		}
		if v.View != nil {
			all = append(all, e.viewFile(v))
		}
	}
	if root := files[e.root()]; root != nil {
		e.elementsOf(root)
	}
	for _, g := range all {
		e.render(g)
	}
}

// methods are the verbs of the package with each of their methods.
func (e *emitter) methods() iter.Seq2[*model.Verb, *model.Method] {
	return func(yield func(*model.Verb, *model.Method) bool) {
		for _, v := range e.pkg.Verbs {
			for _, m := range v.Methods {
				if !yield(v, m) {
					return
				}
			}
		}
	}
}

// anyMethod reports whether something holds of a method of the package.
func (e *emitter) anyMethod(is func(*model.Verb, *model.Method) bool) bool {
	for v, m := range e.methods() {
		if is(v, m) {
			return true
		}
	}
	return false
}

// writers has one for each form of methods.
var writers = map[string]func(e *emitter, g *goFile, v *model.Verb, m *model.Method){
	form.Plain:      (*emitter).plain,
	form.Bytes:      (*emitter).registers,
	form.Memory:     (*emitter).registers,
	form.Addr:       (*emitter).registers,
	form.DMABuf:     (*emitter).plain,
	form.Implicit:   (*emitter).registers,
	form.Attach:     (*emitter).plain,
	form.Detach:     (*emitter).plain,
	form.End:        (*emitter).end,
	form.Special:    (*emitter).special,
	form.Reader:     (*emitter).reader,
	form.Stream:     (*emitter).stream,
	form.View:       (*emitter).view,
	form.NextRecord: (*emitter).nextRecord,
}

// face writes one Go face of a verb, by its form, in the file of its receiver.
func (e *emitter) face(g *goFile, v *model.Verb, m *model.Method) {
	if g != nil || m.Form != form.Special { // which may be of a type of its own
		writers[m.Form](e, g, v, m)
	}
}

// first reports whether a declaration has yet to be written, and notes that it is.
func (e *emitter) first(name string) bool {
	seen := e.done[name]
	e.done[name] = true
	return !seen
}

// errorf notes a defect: what is asked of the model and not there.
func (e *emitter) errorf(about, format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf("%s: %s", about, fmt.Sprintf(format, args...)))
}

// rendering is a file that is being formatted.
type rendering struct {
	file output.File
	err  <-chan error
}

// render begins to format a file, while the next is being made: it is half of the work. It waits while as many files are being
// formatted as there are processors: more would only need more memory. A nil file is left out.
func (e *emitter) render(g *goFile) {
	if g == nil {
		return
	}
	r := &rendering{file: output.File{Name: g.name}}
	e.started = append(e.started, r)
	e.slots <- struct{}{}
	r.err = diag.Beside("writing "+g.name, func() (err error) {
		defer func() { <-e.slots }()
		r.file.Data, err = g.render()
		return err
	})
}

// finish waits for the files.
func (e *emitter) finish() (files []output.File, err error) {
	err = errors.Join(e.errs...)
	seen := map[string]bool{}
	for _, r := range e.started {
		err = errors.Join(err, <-r.err)
		if seen[r.file.Name] {
			err = errors.Join(err, fmt.Errorf("two files are called %s", r.file.Name))
		}
		seen[r.file.Name] = true
		files = append(files, r.file)
	}
	return files, err
}

// home is what a verb is called on: an object, or Lib. A verb of an event is at home on the object that the rest is made from.
func (e *emitter) home(v *model.Verb) string {
	if v.Explained { // it may have a method of what requests name, too
		return v.Params[0].Object.Go
	}
	for _, o := range e.pkg.Objects {
		if o.Destroy == v || v.Inner && v.Params[0].Object == o ||
			slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv == o.Go }) {
			return o.Go
		}
	}
	if slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Recv != "Lib" }) {
		return e.root()
	}
	return "Lib"
}

// integer is the Go integer that carries a C integer, enum or pointer.
func (e *emitter) integer(about, ctype string) string {
	t, err := e.types.Integer(ctype)
	if err != nil {
		e.errorf(about, "%v", err)
	}
	return cmp.Or(t, "uintptr")
}

// docFile writes what the package was made from, the package comment, and that the package is for this version of the runtime.
func (e *emitter) docFile() *goFile {
	g := e.newFile("doc.gen.go")
	library := "a C library"
	if slices.ContainsFunc(e.pkg.Facts.Functions, func(f api.Function) bool { return f.Name == e.pkg.Module.Probe }) {
		library = e.pkg.Module.Short
	}
	g.f.HeaderComment(e.pkg.Provenance())
	g.f.HeaderComment(strings.TrimSpace("//verbsgen:module " + e.pkg.Module.Name + " " + e.pkg.Release))
	g.f.PackageComment(comment(say("package", e.own(words{"Name": e.pkg.Name, "Library": library})) + "\n" + e.overview()))
	g.decl(says("runtime", nil), jen.Const().Id("_").Op("=").Add(rt("gensupport", gensupport.GeneratedForRuntime1)))
	return g
}

// own adds to the words of a text whether the module is one of verbsgen's own, whose library works with devices.
func (e *emitter) own(with words) words {
	with["Own"] = map[bool]string{true: "yes"}[e.pkg.Module.Own]
	return with
}

// overview is a list of the methods by purpose, and the first calls of a program.
func (e *emitter) overview() string {
	var text strings.Builder
	has := map[string]bool{"Lib.OpenDevice": true, "Device.CloseAll": true}
	var list []string
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			has[m.Recv+"."+m.Name] = true
		}
	}
	for _, f := range e.written {
		for _, m := range f.Methods {
			has[m] = true
		}
	}
	for _, f := range e.pkg.Module.Families {
		list = append(list, " - "+f.Name+": "+f.Doc+". ["+strings.Join(f.Methods, "], [")+"]")
	}
	begin := e.pkg.Module.Begin
	for _, name := range methodName.FindAllString(begin, -1) {
		if !has[name] {
			begin = ""
		}
	}
	if begin == "" && len(list) == 0 {
		return ""
	}
	text.WriteString("\n# Overview\n\n")
	if begin != "" {
		text.WriteString(begin + "\n\n")
	}
	text.WriteString(strings.Join(list, "\n"))
	return text.String()
}

// methodName matches names such as Device.AllocPD.
var methodName = regexp.MustCompile(`\b[A-Z]\w*\.[A-Z]\w*`)
