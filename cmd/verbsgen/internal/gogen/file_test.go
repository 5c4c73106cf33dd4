package gogen

import (
	"errors"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestFile pins the beginning of a generated file, and that it imports what it names.
func TestFile(t *testing.T) {
	e := &emitter{pkg: &model.Package{Name: "p", FactsHash: "0"}}
	g := e.newFile("x.go")
	g.fn(fn{doc: "// f uses errors.Is.", name: "f", params: []jen.Code{param("n", "*dpath.WC")}, results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("strconv", "Itoa").Call(jen.Lit(1)))}, short: true})
	data, err := g.render()
	if err != nil {
		t.Fatal(err)
	}
	want := output.Banner + `

package p

import (
	"strconv"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// f uses errors.Is.
func f(n *dpath.WC) string { return strconv.Itoa(1) }
`
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
}

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
	e := newEmitter(&model.Package{Name: "p"})
	e.render(&goFile{name: "nothing.go"})
	e.render(e.newFile("x.go"))
	files, err := e.finish()
	var panicked *diag.Panic
	if !errors.As(err, &panicked) || !strings.HasPrefix(err.Error(), "writing nothing.go: ") || len(files) != 2 || len(files[1].Data) == 0 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// TestComment asks that every line of a comment is one, and short enough.
func TestComment(t *testing.T) {
	long := comment("a\n\n  - " + strings.Repeat("word ", 40))
	for _, line := range strings.Split(long, "\n") {
		if !strings.HasPrefix(line, "//") || len(line) > 112 || strings.HasSuffix(line, " ") {
			t.Errorf("comment line %q", line)
		}
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
