package gogen

import (
	"errors"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestBroken shows what a defect of a writer looks like: the place in the source, not all of it.
func TestBroken(t *testing.T) {
	e := &emitter{pkg: &model.Package{Name: "p"}}
	g := e.newFile("x.go")
	for range 50 {
		g.decl("", jen.Var().Id("_").Op("=").Lit(1))
	}
	g.decl("", jen.Func().Op("("))
	_, err := g.render()
	if err == nil || !strings.Contains(err.Error(), "x.go does not parse") || !strings.Contains(err.Error(), "func (") ||
		strings.Count(err.Error(), "\n") > 12 {
		t.Errorf("error: %v", err)
	}
}

// TestRenderingPanics has a file that cannot even be printed: the panic is an error, and the others are waited for.
func TestRenderingPanics(t *testing.T) {
	e := newEmitter(&model.Package{Name: "p", Facts: &api.Release{}})
	e.render(&goFile{name: "nothing.go"})
	e.render(e.newFile("x.go"))
	files, err := e.finish()
	var panicked *diag.Panic
	if !errors.As(err, &panicked) || !strings.HasPrefix(err.Error(), "writing nothing.go: ") || len(files) != 2 || len(files[1].Data) == 0 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestInternalErrors gives the writers a model that bind never makes: it is an error, not a file.
func TestInternalErrors(t *testing.T) {
	destroy := &model.Verb{C: "x_close", Go: "Close", Doc: "closes", CRet: "int", Returns: spec.RetErrno}
	raw := &model.Object{Go: "Raw", C: "x", Doc: "a thing", Destroy: destroy}
	files, err := Package(&model.Package{Name: "p", Facts: &api.Release{}, Objects: []*model.Object{raw}}, "vg")
	if want := "two files are called raw.gen.go"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("two files of a name: %d files, error %v; want %s", len(files), err, want)
	}
}
