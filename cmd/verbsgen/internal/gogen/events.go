package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
	"github.com/verbsgen/verbsgen/spec"
)

// listens reports whether events arrive on an object.
func (e *emitter) listens(o *model.Object) bool { return e.waiter(o) != "" }

// indexed reports whether events name an object by its C address.
func (e *emitter) indexed(o *model.Object) bool {
	return e.namedByRecord(o) || slices.ContainsFunc(e.written, func(f *special.File) bool { return slices.Contains(f.Finds, o.Go) })
}

// waiter is the type of what waits for the events of an object; empty where none arrive on it.
func (e *emitter) waiter(o *model.Object) string {
	if v, _ := e.giver(o); v != nil {
		return "*events.Records[" + given(v).Record.Go + "]"
	}
	for _, f := range e.written {
		if w := f.Waits[o.Go]; w != "" {
			return w
		}
	}
	return ""
}

// elementsOf writes what each asynchronous event concerns, for the file that waits for them:
//
//	const (
//		elementQP = events.Object + iota
//		elementCQ
//	)
//
//	var asyncElements = map[uint32]events.Element{
//		uint32(EventTypeQPFatal): elementQP,
//		uint32(EventTypePortErr): events.Port,
//	}
func (e *emitter) elementsOf(g *goFile) {
	t := e.eventType()
	if t == nil || !e.writtenUses("asyncElements") {
		return
	}
	names := map[string]*jen.Statement{spec.EventOfPort: rt("events", "Port")}
	var consts, rows []jen.Code
	for i, o := range e.concerned() {
		names[o.Go] = id("element" + o.Go)
		decl := id("element" + o.Go)
		if i == 0 {
			decl.Op("=").Add(rt("events", "Object")).Op("+").Iota()
		}
		consts = append(consts, decl)
	}
	of := map[string]string{} // event -> what it concerns
	for _, x := range t.Events {
		is := x.Of
		if x.Object != nil {
			is = x.Object.Go
		}
		for _, c := range x.Members {
			of[c] = is
		}
	}
	for _, m := range t.Members {
		if m.Alias {
			continue
		}
		element := names[of[m.C]]
		if element == nil {
			element = rt("events", "Nothing")
		}
		rows = append(rows, op(jen.Uint32().Call(id(m.Go)), ":", element))
	}
	if len(consts) > 0 {
		g.decl("// The types of objects that asynchronous events concern.", jen.Const().Defs(consts...))
	}
	g.decl("// asyncElements is what each type of asynchronous event concerns.",
		jen.Var().Id("asyncElements").Op("=").Map(jen.Uint32()).Add(rt("events", "Element")).Add(lines(rows...)))
}

// concerned are the objects of the package that asynchronous events concern, in the order of the page.
func (e *emitter) concerned() (out []*model.Object) {
	if t := e.eventType(); t != nil {
		for _, x := range t.Events {
			if slices.Contains(e.pkg.Objects, x.Object) {
				out = append(out, x.Object)
			}
		}
	}
	return out
}

// eventType is the type of asynchronous events.
func (e *emitter) eventType() *model.Enum {
	i := slices.IndexFunc(e.pkg.Enums, func(t *model.Enum) bool { return len(t.Events) > 0 })
	if i < 0 {
		return nil
	}
	return e.pkg.Enums[i]
}
