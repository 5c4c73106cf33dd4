package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// recordsFile writes builders, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	e.decls(g, e.plan.Records)
	for _, u := range e.pkg.Unions {
		g.union(u)
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

// union makes the type of a union, which is that of one member:
//
//	type GID [16]byte
//
//	func (g GID) String() string { return netip.AddrFrom16(g).String() }
func (g *goFile) union(u *model.Union) {
	g.decl(doc(u.Go, "is "+naming.Lower(u.Doc), "union "+u.C, u.Page), jen.Type().Id(u.Go).Add(goType(u.GoType)))
	if u.Text == spec.TextIPv6 {
		g.fn(fn{
			doc:  "// String returns the " + u.Go + " in the form of an IPv6 address.",
			recv: param("g", u.Go), name: "String", results: []jen.Code{jen.String()},
			body: []jen.Code{jen.Return(rt("netip", "AddrFrom16").Call(id("g")).Dot("String").Call())}, short: true,
		})
		g.fn(fn{
			doc: "// Parse" + u.Go + ` reads a ` + u.Go + `: an IPv6 address in any of its forms ("fe80::1", as it prints itself, or with all its digits, as sysfs shows
// it), or an IPv4 address, which stands for the one that RoCE makes of it (::ffff:192.0.2.1). Anything else is syscall.EINVAL, also an
// address with a zone.`,
			name: "Parse" + u.Go, params: []jen.Code{param("s", "string")}, results: errResult(id(u.Go)),
			body: []jen.Code{jen.Return(rt("codes", "ParseGID").Call(id("s")))}, short: true,
		})
	}
}
