package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// recordsFile writes builders, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	e.decls(g, e.plan.Records)
	for _, u := range e.pkg.Unions {
		g.union(u)
		e.decls(g, e.plan.Texts[u])
	}
	for _, m := range e.pkg.Mirrors {
		e.mirror(g, m)
	}
	return g
}

// mirror makes a Go struct with C's layout.
func (e *emitter) mirror(g *goFile, m *model.Mirror) {
	var fields []jen.Code
	for _, l := range m.Leaf {
		fields = append(fields, param(l.Go, l.GoType))
	}
	g.structType("// "+m.Name+" has the layout of struct "+m.C+".", m.Name, fields...)
}

// union makes the type of a union, which is that of one member: type GID [16]byte.
func (g *goFile) union(u *model.Union) {
	g.decl(doc(u.Go, "is "+naming.Lower(u.Doc), "union "+u.C, u.Page), jen.Type().Id(u.Go).Add(goType(u.GoType)))
}
