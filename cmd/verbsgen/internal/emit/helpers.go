package emit

import "strings"

// usesGID tells whether the Go face of the package has addresses of ports.
func (e *emitter) usesGID() bool {
	const gid = "GID"
	for _, r := range e.pkg.Records {
		for _, f := range r.Fields {
			if f.GoType == gid {
				return true
			}
		}
	}
	for _, m := range e.pkg.Mirrors {
		for _, l := range m.Leaf {
			if l.GoType == gid {
				return true
			}
		}
	}
	for _, v := range e.pkg.Verbs {
		for _, p := range v.Params {
			if p.GoType == gid {
				return true
			}
		}
	}
	return false
}

// gid writes the type of an address of a port.
func (e *emitter) gid(g *goFile) {
	g.add(`
// GID is an address of a port: 16 bytes in network byte order.
//
// C: union ibv_gid, ibv_query_gid(3).
type GID [16]byte`)
	g.add(`
// String gives the GID in the form of an IPv6 address.
func (g GID) String() string { return netip.AddrFrom16(g).String() }`)
}

// helpersFile writes what is used by several other files. It comes last.
func (e *emitter) helpersFile() *goFile {
	g := e.newFile("helpers.gen.go")
	g.add(`
// missing is the error of a verb whose function the library lacks.
func (l *Lib) missing(verb string, sym int) error {
	return verr.Missing(verb, symbols[sym].name, symbols[sym].since, l.name)
}`)
	if e.usesGID() {
		e.gid(g)
	}
	for _, o := range e.pkg.Objects {
		if strings.Contains(e.text.String(), "nodeOf"+o.Go+"(") {
			g.add("// nodeOf%[1]s gives the node of a handle that may be nil.\nfunc nodeOf%[1]s(o *%[1]s) *object.Node {\nif o == nil {\nreturn nil\n}\nreturn &o.node\n}", o.Go)
		}
	}
	return g
}
