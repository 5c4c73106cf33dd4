// Package emit writes a bound model out as a Go package: Go by jennifer, C from templates.
//
// It owns the shape of generated code. It knows nothing of the C parser or of YAML, and decides nothing: what it
// gets can no longer be wrong.
package emit

import (
	"errors"
	"fmt"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// emitter is the state of one Package.
type emitter struct {
	pkg     *model.Package
	prefix  string          // of the C functions
	byForm  map[string]made // the verbs with a method of a form that a package has once
	inputs  map[*model.Verb][]model.Operand
	ctypes  map[string]cdecl.Type
	nodes   map[*model.Object]bool // handles whose node is asked for although they may be nil
	started []*rendering
	errs    []error // of what cannot be written
}

func newEmitter(pkg *model.Package) *emitter {
	e := &emitter{pkg: pkg, byForm: map[string]made{}, inputs: map[*model.Verb][]model.Operand{}, ctypes: map[string]cdecl.Type{},
		nodes: map[*model.Object]bool{}}
	for _, v := range pkg.Verbs {
		for _, m := range v.Methods {
			if !form.Find(m.Form).InOrder() {
				e.byForm[m.Form] = made{v, m}
			}
		}
		e.inputs[v] = inputs(v)
	}
	return e
}

// made is a method and the verb that it is of.
type made struct {
	*model.Verb
	m *model.Method
}

// has tells whether the package has a method of a form.
func (e *emitter) has(name string) bool { return e.byForm[name].Verb != nil }

// classify looks a C type up, once.
func (e *emitter) classify(ctype string) (cdecl.Type, error) {
	if t, ok := e.ctypes[ctype]; ok {
		return t, nil
	}
	t, err := cdecl.Classify(e.pkg.Facts, ctype)
	if err == nil {
		e.ctypes[ctype] = t
	}
	return t, err
}

// Package gives the files of a generated package.
func Package(pkg *model.Package) ([]output.File, error) {
	e := newEmitter(pkg)
	for _, o := range pkg.Objects {
		if o.Destroy == nil {
			return nil, fmt.Errorf("struct %s: the release has no function that ends it, and its handle is not bound without", o.C)
		}
	}
	files, err := e.cFiles()
	if err != nil {
		return nil, err
	}
	e.render(e.checkTestFile())
	e.render(e.checkFiles()...)
	e.render(e.recordsFile(), e.enumsFile(), e.rawFile(), e.rawStubFile())
	lib := e.libFile()
	e.render(e.objectFiles(lib)...)
	e.render(lib, e.docFile(), e.enumsTestFile())
	rendered, err := e.finish()
	if err != nil {
		return nil, err
	}
	return append(files, rendered...), nil
}

// rendering is a file that is being formatted.
type rendering struct {
	file output.File
	err  error
	done chan struct{}
}

// render begins to format files, while others are still being made: it is half of the work. A nil file is left out.
func (e *emitter) render(files ...*goFile) {
	for _, g := range files {
		if g == nil {
			continue
		}
		r := &rendering{file: output.File{Name: g.name}, done: make(chan struct{})}
		e.started = append(e.started, r)
		go func() {
			defer close(r.done)
			r.file.Data, r.err = g.render()
		}()
	}
}

// finish waits for the files.
func (e *emitter) finish() (files []output.File, err error) {
	err = errors.Join(e.errs...)
	seen := map[string]bool{}
	for _, r := range e.started {
		<-r.done
		if seen[r.file.Name] {
			r.err = errors.Join(r.err, fmt.Errorf("internal error: two files are called %s", r.file.Name))
		}
		seen[r.file.Name] = true
		err = errors.Join(err, r.err)
		files = append(files, r.file)
	}
	return files, err
}

// docFile writes the package comment.
func (e *emitter) docFile() *goFile {
	g := e.newFile("doc.gen.go")
	what := "gives typed access to a C library"
	if e.has(form.DeviceList) {
		what = "gives typed access to libibverbs"
	}
	g.f.PackageComment(comment(fmt.Sprintf(`Package %s %s, generated from the facts of its header and the rules of its man pages.
The package needs no header of the library and no library to build: Load finds it at run time, and LoadFrom takes its functions from anywhere else, such as a device made of software.
Every call is checked against the rules of its page before it reaches the library; a refused call names the rule. Every handle has a Close, which is refused while something made from it is open.
Handles may be used from several goroutines at once, but not while one of them closes the handle.`, e.pkg.Name, what)))
	return g
}

// page names a man page in a doc comment.
func page(p string) string { return p + "(3)" }

// doc is the comment of an exported symbol: what it does, then the C name and the page.
func doc(name, does, c, pg string, more ...string) string {
	text := name + " " + does
	if does != "" && does[len(does)-1] != '.' {
		text += "."
	}
	for _, m := range more {
		if m != "" {
			text += "\n\n" + m
		}
	}
	if c != "" {
		text += "\n\nC: " + c
		if pg != "" {
			text += ", " + page(pg)
		}
		text += "."
	}
	return comment(text)
}
