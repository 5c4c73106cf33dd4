package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// recordsFile writes builders, results, and the mirrors with C's layout under them.
func (e *emitter) recordsFile() *goFile {
	g := e.newFile("records.gen.go")
	e.decls(g, e.plan.Records)
	if e.usesGID() {
		e.gid(g)
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

// gid is the Go type of an address of a port.
const gid = "GID"

// usesGID tells whether the package has addresses of ports.
func (e *emitter) usesGID() bool {
	for _, r := range e.pkg.Records {
		if slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.GoType == gid }) {
			return true
		}
	}
	for _, m := range e.pkg.Mirrors {
		if slices.ContainsFunc(m.Leaf, func(l *model.Leaf) bool { return l.GoType == gid }) {
			return true
		}
	}
	for _, v := range e.pkg.Verbs {
		if slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.GoType == gid }) {
			return true
		}
	}
	return false
}

// gid makes the type of an address of a port:
//
//	type GID [16]byte
//
//	func (g GID) String() string { return netip.AddrFrom16(g).String() }
//
//	func ParseGID(s string) (GID, error) { return codes.ParseGID(s) }
func (e *emitter) gid(g *goFile) {
	pg := ""
	for _, v := range e.pkg.Verbs {
		if slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.GoType == gid }) {
			pg = v.Page
		}
	}
	g.decl(doc(gid, "is an address of a port: 16 bytes in network byte order", "union ibv_gid", pg), jen.Type().Id("GID").Index(jen.Lit(16)).Byte())
	g.fn(fn{
		doc:  "// String returns the GID in the form of an IPv6 address.",
		recv: param("g", "GID"), name: "String", results: []jen.Code{jen.String()},
		body: []jen.Code{jen.Return(rt("netip", "AddrFrom16").Call(id("g")).Dot("String").Call())}, short: true,
	})
	g.fn(fn{
		doc: `// ParseGID reads a GID: an IPv6 address in any of its forms ("fe80::1", as a GID prints itself, or with all its digits, as sysfs shows
// it), or an IPv4 address, which stands for the GID that RoCE makes of it (::ffff:192.0.2.1). Anything else is syscall.EINVAL, also an
// address with a zone: a GID has none.`,
		name: "ParseGID", params: []jen.Code{param("s", "string")}, results: errResult(id("GID")),
		body: []jen.Code{jen.Return(rt("codes", "ParseGID").Call(id("s")))}, short: true,
	})
}
