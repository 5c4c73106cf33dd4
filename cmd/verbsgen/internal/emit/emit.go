// Package emit writes a bound model out as a Go package: Go by jennifer, C from templates.
//
// It owns the text of generated code. What the code does is decided by package plan, whose declarations, steps and values are
// printed here (print.go, steps.go, value.go). It knows nothing of the C parser or of YAML.
package emit

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
	"github.com/verbsgen/verbsgen/runtime/gensupport"
	"github.com/verbsgen/verbsgen/spec/api"
)

// emitter is the state of one Package.
type emitter struct {
	pkg     *model.Package
	plan    *plan.Package
	prefix  string // of the C functions
	inputs  map[*model.Verb][]model.Operand
	ctypes  map[string]cdecl.Type
	masks   map[*model.Record]bool // whose names are written
	bits    map[*model.Record]bool // whose constants are
	started []*rendering
	slots   chan struct{} // one for each file that is being formatted
	errs    []error       // of what cannot be written
}

func newEmitter(pkg *model.Package) *emitter {
	e := &emitter{pkg: pkg, inputs: map[*model.Verb][]model.Operand{},
		ctypes: map[string]cdecl.Type{}, masks: map[*model.Record]bool{},
		bits: map[*model.Record]bool{}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	for _, v := range pkg.Verbs {
		e.inputs[v] = inputs(v)
	}
	return e
}

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

// Package returns the files of a generated package.
func Package(pkg *model.Package) ([]output.File, error) {
	e := newEmitter(pkg)
	files, err := e.cFiles()
	if err != nil {
		return nil, err
	}
	if e.plan, err = plan.Of(pkg); err != nil {
		return nil, err
	}
	e.checkFiles()
	for _, file := range []func() *goFile{e.checkTestFile, e.recordsFile, e.enumsFile, e.rawFile,
		e.rawStubFile, e.libFile, e.othersFile, e.docFile, e.enumsTestFile} {
		e.render(file())
	}
	for _, f := range e.plan.Objects {
		g := e.newFile(strings.ToLower(f.Object) + ".gen.go")
		e.decls(g, f.Decls)
		e.render(g)
	}
	rendered, err := e.finish()
	if err != nil {
		return nil, err
	}
	for _, f := range e.plan.Special {
		files = append(files, e.special(f))
	}
	return append(files, rendered...), nil
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

// othersFile writes what packages of other libraries may take and make.
func (e *emitter) othersFile() *goFile {
	g := e.newFile("bridge.gen.go")
	e.decls(g, e.plan.Others)
	return g
}

// docFile writes the package comment, and that the package is for this version of the runtime.
func (e *emitter) docFile() *goFile {
	g := e.newFile("doc.gen.go")
	library := "a C library"
	if slices.ContainsFunc(e.pkg.Facts.Functions, func(f api.Function) bool { return f.Name == e.pkg.Module.Probe }) {
		library = e.pkg.Module.Short
	}
	g.f.HeaderComment(strings.TrimSpace("//verbsgen:module " + e.pkg.Module.Name + " " + e.pkg.Release))
	g.f.PackageComment(comment(plan.Says("package", plan.Words{"Name": e.pkg.Name, "Library": library}) + "\n" + e.overview()))
	g.decl(says("runtime", nil), jen.Const().Id("_").Op("=").Add(rt("gensupport", gensupport.GeneratedForRuntime1)))
	return g
}

// overview is a list of the methods by purpose, and the first calls of a program.
func (e *emitter) overview() string {
	var text strings.Builder
	has := map[string]bool{"Lib.OpenDevice": true, "Device.CloseAll": true}
	var list []string
	for _, f := range e.pkg.Module.Families {
		for _, m := range f.Methods {
			has[m] = true
		}
		list = append(list, " - "+f.Name+": "+f.Doc+". ["+strings.Join(f.Methods, "], [")+"]")
	}
	if len(list) == 0 {
		return ""
	}
	begin := e.pkg.Module.Begin
	for _, name := range methodName.FindAllString(begin, -1) {
		if !has[name] {
			begin = ""
		}
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
			text += ", " + plan.Page(pg)
		}
		text += "."
	}
	return comment(text)
}
