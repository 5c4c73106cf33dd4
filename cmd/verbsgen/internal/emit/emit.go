// Package emit writes a bound model out as a Go package: Go by jennifer, C from templates.
//
// It owns the shape of generated code. It knows nothing of the C parser or of YAML, and decides nothing: what it
// gets can no longer be wrong.
package emit

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
)

// emitter is the state of one Package.
type emitter struct {
	pkg    *model.Package
	prefix string // of the C functions
	byVerb map[string]*model.Verb
	nodes  map[*model.Object]bool // handles whose node is asked for although they may be nil
}

// Package gives the files of a generated package.
func Package(pkg *model.Package) ([]output.File, error) {
	e := &emitter{pkg: pkg, byVerb: map[string]*model.Verb{}, nodes: map[*model.Object]bool{}}
	for _, v := range pkg.Verbs {
		e.byVerb[v.C] = v
	}
	files, err := e.cFiles()
	if err != nil {
		return nil, err
	}
	lib := e.libFile()
	parts := append(e.objectFiles(lib), e.docFile(), lib, e.enumsFile(), e.recordsFile(), e.checkFile(), e.checkTestFile(), e.enumsTestFile(), e.rawFile(), e.rawStubFile())
	parts = slices.DeleteFunc(parts, func(g *goFile) bool { return g == nil })
	rendered := make([]output.File, len(parts))
	errs := make([]error, len(parts))
	var wait sync.WaitGroup // formatting is half of the work, and each file stands alone
	for i, g := range parts {
		wait.Go(func() {
			rendered[i].Name = g.name
			rendered[i].Data, errs[i] = g.render()
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return append(files, rendered...), nil
}

// docFile writes the package comment.
func (e *emitter) docFile() *goFile {
	g := e.newFile("doc.gen.go")
	what := "gives typed access to a C library"
	if e.byVerb["ibv_get_device_list"] != nil {
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
