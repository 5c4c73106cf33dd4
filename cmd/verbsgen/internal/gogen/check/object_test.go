package check

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has the rules on what goes into a call and what comes out: records, memory, new objects and results.

// taken: all of a record that a verb takes reaches C: its handles are in use, its bytes stay in place, and its error is returned. So do the
// handles among the parameters.
func taken(p *Package, f *function) {
	if !f.exported() && f.decl.Name.Name != "lend" {
		return
	}
	names, of := f.params()
	for i, name := range names {
		t := strings.TrimPrefix(text(of[i]), "*")
		reads := slices.Concat(each(f, func(e *ast.SelectorExpr) bool { return text(e) == name+".c" }), f.calls(name+".to"))
		switch reach := f.reach(); {
		case len(reach) == 0:
		case p.isHandle(t) || strings.Contains(t, ".") && text(of[i])[0] == '*' && p.foreign(t):
			f.begun(name, "*"+t, reach[0])
		case strings.HasPrefix(t, "[]*"):
			f.begun(name, t, reach[0])
		case len(reads) == 0 && p.has(t, "to"):
			p.report(f, reach[0], "C does not get %s", name)
		case len(reads) > 0 && p.structs[t] != nil:
			for _, field := range p.structs[t].Fields.List {
				for _, n := range field.Names {
					f.begun(name+"."+n.Name, text(field.Type), reach[0])
				}
			}
			for _, method := range []string{"place", "hold"} {
				if c := f.calls(name + "." + method); p.has(t, method) && (len(c) != 1 || !c[0].before(reach[0]) || !c[0].failing()) {
					p.report(f, reads[0], "what %s points to is not in its place before the rules and the call: %s.%s is not called", name, name, method)
				}
			}
		}
	}
}

// lent: the C object of a handle of another package is handed to C, and not only kept from being closed. A record of another package takes
// what C has filled.
func lent(p *Package, f *function) {
	for _, s := range f.calls("bridge.Enter", "bridge.EnterOptional", "bridge.Lend", "bridge.Fill") {
		h := s.sets()
		if h != "" && h != "_" && len(f.raws()) > 0 && !contains(f.decl.Body, h+".C") && !contains(f.decl.Body, h+".Root") {
			p.report(f, s, "C is not given %s", h)
		}
	}
	for _, fill := range f.calls("bridge.Fill") {
		if done := f.calls(fill.sets() + ".Done"); len(done) != 1 || len(f.raws()) != 1 || done[0].Pos() < f.raws()[0].Pos() {
			p.report(f, fill, "%s is filled and not taken", arg(fill, 1))
		}
	}
}

// reach lists what may look at what a call is given: rules, and C. Lend hands it to another package.
func (f *function) reach() []site {
	out := slices.Concat(each(f, func(a *ast.AssignStmt) bool {
		return text(a.Lhs[0]) == "in" && a.Tok == token.DEFINE || text(a.Lhs[0]) == "to.C"
	}), f.raws(), f.calls("*.more.Add"))
	slices.SortFunc(out, func(a, b site) int { return int(a.Pos() - b.Pos()) })
	return out
}

// foreign reports whether a type of another package is a handle: it is entered by a bridge somewhere.
func (p *Package) foreign(t string) bool {
	return strings.HasPrefix(t, "verbs.") && !strings.HasSuffix(t, "Lib") && !strings.Contains(t, "Attr") && !strings.HasSuffix(t, "Stream")
}

// has reports whether a type of the package has a method.
func (p *Package) has(t, method string) bool {
	return slices.ContainsFunc(p.order, func(g *function) bool { return g.name == t+"."+method })
}

// begun reports what a record or a parameter has of a type and what does not begin before a place.
func (f *function) begun(x, t string, reach site) {
	var by []string
	what := x + " is not entered"
	switch {
	case x[strings.LastIndex(x, ".")+1:] == "err" && t == "error":
		if !f.guarded(reach, x+" != nil") {
			f.p.report(f, reach, "the error that a builder keeps, %s, is not returned", x)
		}
		return
	case x[strings.LastIndex(x, ".")+1:] == "mask":
		if r := f.raws(); len(r) > 0 && !slices.ContainsFunc(r, func(s site) bool { return contains(s, x) }) {
			f.p.report(f, r[0], "C does not get the mask of the fields that are set, %s", x)
		}
		return
	case strings.HasPrefix(t, "[]*"):
		by = []string{"object.UseList"}
	case t == "[]FlowSpec":
		by = []string{"object.UseArms"}
	case t == "[]byte" && strings.Contains(x, "."):
		by, what = []string{"cmem.PinData", "*.Pin"}, x+" is not pinned"
		if r := f.raws(); len(r) > 0 {
			reach = r[0]
		}
	case f.p.isHandle(strings.TrimPrefix(t, "*")) || strings.HasPrefix(t, "*verbs.") && f.p.foreign(t[1:]):
		by = []string{x + ".base().Enter", x + ".base().EnterBeside", "bridge.Enter", "bridge.EnterOptional", "to.Enter"}
	default:
		return
	}
	for _, s := range each(f, every[*ast.AssignStmt]) { // under another name
		a := s.assign
		for i, e := range a.Rhs {
			if a.Tok == token.DEFINE && text(e) == x && len(a.Lhs) == len(a.Rhs) {
				x = text(a.Lhs[i])
				by = append(by, x+".base().EnterBeside")
			}
		}
	}
	if !slices.ContainsFunc(f.calls(by...), func(s site) bool {
		return s.Pos() < reach.Pos() && s.takes(x) && (len(s.under) == 0 || f.notNil(x, s))
	}) {
		f.p.report(f, reach, "%s before the rules and the call see it", what)
	}
}

// takes reports whether a handle is what a call is of, or an argument.
func (s site) takes(x string) bool {
	c := s.call
	return strings.HasPrefix(callee(c), x+".") || slices.ContainsFunc(c.Args, func(e ast.Expr) bool {
		a := strings.TrimPrefix(text(e), "&")
		return a == x || a == x+".h"
	})
}

// released: memory that is taken for a call is given back on every path, unless a new object keeps it or another function has it now.
func released(p *Package, f *function) {
	takes := each(f, func(a *ast.AssignStmt) bool {
		c, ok := a.Rhs[0].(*ast.CallExpr)
		return ok && (callee(c) == "cmem.Take" || matches("*.hold", callee(c)) || callee(c) == "newAllocCalls")
	})
	for _, take := range takes {
		f.givenBack(take, text(take.assign.Lhs[0]))
		if in := f.assigned("in"); len(in) > 0 && in[0].Pos() < take.Pos() {
			p.report(f, take, "the rules look at memory before it is taken")
		}
	}
	names, of := f.params()
	for i, name := range names {
		if text(of[i]) == "cmem.Held" && len(f.raws()) > 0 {
			f.givenBack(site{Node: f.decl.Type, stack: []ast.Node{f.decl}}, name)
		}
		if text(of[i]) == "mem.Source" && len(f.raws()) > 0 && len(f.calls("cmem.Take")) != 1 {
			p.report(f, f.decl, "%s is handed to C and not held", name)
		}
		if text(of[i]) == "uintptr" && name == "addr" && len(f.created()) > 0 && len(takes) == 0 && slices.ContainsFunc(f.raws(),
			func(raw site) bool { return contains(raw, name) }) {
			p.report(f, f.decl, "%s is handed to C and not held", name)
		}
	}
	for _, s := range f.assigned("release") {
		a := s.assign
		if a.Tok == token.DEFINE {
			d, ok := s.next().(*ast.DeferStmt)
			if !ok || !mentions(d, "release") {
				p.report(f, s, "memory is not released by a defer right behind; it must be given back on every path")
			}
			if kept := f.assigned("*.h.Kept"); len(f.created()) != len(kept) {
				p.report(f, s, "memory is not kept once by the new object; it would be given back while the device uses it")
			}
		} else if len(a.Lhs) != 2 || !matches("*.h.Kept", text(a.Lhs[0])) || text(a.Rhs[0]) != "release" {
			p.report(f, s, "memory is no longer released, and no object keeps it")
		}
	}
}

// givenBack reports returns after memory was taken that neither release it nor hand it on. The return of the error of taking it is none.
func (f *function) givenBack(take site, held string) {
	given := each(f, func(id *ast.Ident) bool { return id.Name == held && id.Pos() > take.End() })
	for _, r := range each(f, func(r *ast.ReturnStmt) bool { return r.Pos() > take.End() }) {
		if failed, ok := take.next().(*ast.IfStmt); r.inLit() || ok && failed.Pos() < r.Pos() && r.Pos() < failed.End() {
			continue
		}
		if !slices.ContainsFunc(given, func(s site) bool {
			sel, field := s.stack[len(s.stack)-1].(*ast.SelectorExpr)
			return (!field || sel.Sel.Name == "Release") && (s.before(r) || r.Pos() <= s.Pos() && s.End() <= r.End())
		}) {
			f.p.report(f, r, "%s is not released on this path", held)
		}
	}
}

// placed: what is packed behind a struct is counted in it and copied behind it before the call.
func placed(p *Package, f *function) {
	for _, s := range f.calls("cmem.Behind") {
		if len(f.raws()) != 1 {
			continue
		}
		raw, uses, puts := f.raws()[0], f.calls("object.UseArms"), f.calls("cmem.Put")
		list, packed := arg(s, 4), s.sets()
		if len(uses) != 1 || !uses[0].before(s) || arg(uses[0], 4) != list {
			p.report(f, s, "the handles in %s are not in use when it is packed", list)
		}
		if in := f.assigned("in"); len(in) > 0 && in[0].Pos() < s.Pos() {
			p.report(f, s, "the rules look at %s before it is packed", list)
		}
		if !slices.ContainsFunc(each(f, every[*ast.AssignStmt]), func(x site) bool {
			return x.Pos() > s.Pos() && x.before(raw) && contains(x, "len("+list+")") && contains(x, "len("+packed+")")
		}) {
			p.report(f, s, "C does not get the number and the size of %s", list)
		}
		if checks := f.calls("check*"); len(puts) != 1 || !puts[0].before(raw) || len(checks) > 0 && !checks[0].before(puts[0]) ||
			!contains(raw, "unsafe.SliceData("+packed+")") {
			p.report(f, s, "the struct is not copied before %s, once its rules hold, and handed to C", list)
		}
	}
	for _, s := range f.calls("object.UseList") {
		list, addrs := arg(s, 4), s.sets()
		if !contains(f.decl.Body, "len("+list+")") && !contains(f.decl.Body, "len("+addrs+")") {
			p.report(f, s, "C does not get the number of %s", list)
		}
	}
}

// creation is where a handle is made: by newMR, as &MR{} or, of another package, by bridge.Make.
type creation struct {
	site
	o, t string // variable and type, "" of another package
}

func (f *function) created() (out []creation) {
	for _, s := range each(f, every[ast.Expr]) {
		t := ""
		switch e := s.Node.(type) {
		case *ast.CallExpr:
			if t = strings.TrimPrefix(callee(e), "new"); callee(e) == "bridge.Make" {
				t = ""
			} else if t == callee(e) || !f.p.isHandle(t) {
				continue
			}
		case *ast.UnaryExpr:
			lit, ok := e.X.(*ast.CompositeLit)
			if !ok || !f.p.isHandle(text(lit.Type)) || strings.HasPrefix(f.name, "new") {
				continue
			}
			t = text(lit.Type)
		default:
			continue
		}
		if o := s.sets(); o != "" {
			out = append(out, creation{s, o, t})
		}
	}
	return out
}

// adopted: a new handle is adopted once, when it has all that it keeps: from then on others use it. Its parents are all handles of the
// call, so that none of them is closed before it, and it knows those that it has a field for.
func adopted(p *Package, f *function) {
	for _, c := range f.created() {
		if c.t == "" {
			f.under(c.site)
			continue
		}
		adopts := f.calls(c.o+".h.Adopt", c.o+".h.AdoptUsed")
		if len(adopts) != 1 || !c.before(adopts[0]) || !adopts[0].failing() {
			p.report(f, c, "the new %s is not adopted once; it is neither open nor ended", c.t)
			continue
		}
		if _, lit := c.Node.(*ast.UnaryExpr); lit && len(f.calls(c.o+".h.Make")) != 1 {
			p.report(f, c, "the handle of the new %s is not made", c.t)
		}
		for _, late := range append(f.assigned(c.o+".*"), f.calls("*.Rename", c.o+".place", c.o+".*.Set")...) {
			if late.Pos() > adopts[0].Pos() {
				p.report(f, late, "%s is adopted before it has what it keeps; others use it already", c.o)
			}
		}
		f.under(adopts[0])
		f.knows(c)
	}
}

// under reports handles of a call that are not parents of its new object.
func (f *function) under(adopt site) {
	uses := ""
	for _, s := range f.calls("object.UseList", "object.UseArms") {
		uses = arg(s, 0)
	}
	if uses != "" && (!strings.HasSuffix(adopt.name, ".AdoptUsed") || arg(adopt, 0) != uses) {
		f.p.report(f, adopt, "the object is not under the handles of a list, which can be closed before it")
	}
	for _, h := range f.handles() {
		if raw := f.raws(); len(raw) > 0 {
			if x := f.p.param(raw[0], strings.TrimSuffix(h, "Held")); x != nil && !x.Parent && h != f.recv {
				continue
			}
		}
		times := 0
		as := []string{"&" + h + ".h.Node", "&" + h + ".Node", h + ".base().Optional()", h + ".Optional()"}
		ast.Inspect(adopt.Node, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && slices.Contains(as, text(e)) {
				times++
			}
			return true
		})
		if times != 1 {
			f.p.report(f, adopt, "the object is %d times under %s, not once; it can be closed before its object", times, h)
		}
	}
}

// handles are those of a call, as they are entered; of another package, the variables that they are held by. A bridge joins those that it
// hands on.
func (f *function) handles() (out []string) {
	joined := ""
	for _, s := range f.enters() {
		out = append(out, s.handle)
	}
	for _, s := range f.calls("bridge.Under") {
		joined = arg(s, 2)
	}
	for _, s := range f.calls("bridge.Enter", "bridge.EnterOptional", "bridge.Under") {
		if h := s.sets(); h != "" && h != "_" && h != joined {
			out = append(out, h)
		}
	}
	return out
}

// unmarked reports whether a method need not say whether a new object has a property: only a parameter of other methods says it.
func (f *function) unmarked(t, name string) bool {
	said, given := false, false
	for _, v := range f.p.model.Verbs {
		for _, m := range v.Marks {
			if v.Creates != nil && v.Creates.Go == t && model.Local(m.Prop) == name {
				said = said || m.From == nil
				given = given || len(f.calls("raw"+v.Go)) > 0
			}
		}
	}
	return !said && !given
}

// knows reports fields of a new object for handles of the call, and for properties, that it is not given.
func (f *function) knows(c creation) {
	for _, field := range f.p.structs[c.t].Fields.List {
		ft, name := text(field.Type), field.Names[0].Name
		switch {
		case ft == "fail.Mark" && len(f.calls(c.o+"."+name+".Set", c.o+"."+name+".Copy")) != 1 && !f.unmarked(c.t, name):
			f.p.report(f, c, "nothing says whether the object is %s", name)
		case ft == "dpath.Place" && len(f.calls(c.o+".place")) != 1:
			f.p.report(f, c, "the region of the object is not placed once; requests would point elsewhere")
		case (ft == "cmem.Foreign" || strings.HasPrefix(ft, "devmem.")) && len(f.calls(c.o+"."+name+".Open", c.o+".attach")) != 1:
			f.p.report(f, c, "the memory of the object is not opened once")
		}
		if !strings.HasPrefix(ft, "*") || !f.p.isHandle(ft[1:]) || name == "dev" {
			continue
		}
		of := map[string]bool{}
		for _, s := range f.enters() {
			of[s.handle] = f.p.typeOf(s.x) == ft
		}
		maps.DeleteFunc(of, func(_ string, same bool) bool { return !same })
		set := f.assigned(c.o + "." + name)
		one := func(e ast.Expr) bool { return of[text(e)] }
		if len(of) > 0 && (len(set) != 1 || !slices.ContainsFunc(set[0].assign.Rhs, one)) {
			f.p.report(f, c, "the object does not know its %s", ft[1:])
		}
	}
}

// zeros: a function that fails returns the zero values of its other results, which nobody can mistake for an answer. What was done before
// the failure is counted in a named result.
func zeros(p *Package, f *function) {
	results := f.results()
	n := len(results)
	if n < 2 || results[n-1] != "error" || f.decl.Type.Results.List[0].Names != nil || len(f.raws()) == 0 {
		return
	}
	if v := p.verb(f.raws()[0].name); v != nil && v.Reads != nil && !p.isHandle(f.handleType()) {
		return // a reader that failed has read some
	}
	for _, s := range each(f, every[*ast.ReturnStmt]) {
		r := s.Node.(*ast.ReturnStmt)
		if len(r.Results) != n || s.inLit() || text(r.Results[n-1]) == "nil" {
			continue
		}
		for _, e := range r.Results[:n-1] {
			if !zero(e) {
				p.report(f, s, "%s is returned with an error; it must be the zero value", text(e))
			}
		}
	}
}

// zero reports whether an expression is a zero value; of an index it is -1.
func zero(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	return ok && len(lit.Elts) == 0 || slices.Contains([]string{"nil", "0", "-1", `""`, "false"}, text(e))
}

// handle: a Close waits for the calls that do not enter a handle, ends waiting, and makes requests to a region invalid.
func handle(p *Package, f *function) {
	t := strings.TrimPrefix(f.decl.Name.Name, "new")
	if !p.isHandle(t) || f.decl.Recv != nil {
		return
	}
	for _, field := range p.structs[t].Fields.List {
		name, ft := "", text(field.Type)
		if len(field.Names) > 0 {
			name = field.Names[0].Name
		}
		set := func(to string) string {
			for _, s := range f.assigned("o.h." + to) {
				return text(s.assign.Rhs[0])
			}
			return ""
		}
		switch {
		case slices.Contains([]string{"gate.Gate", "dpath.Address", "dpath.Named", "devmem.DM", "cmem.Foreign"}, ft):
			if set("Guard") != "&o."+name {
				p.report(f, field, "a Close does not wait for calls by %s", name)
			}
		case strings.HasPrefix(ft, "dpath.Listener") || ft == "dpath.Sleepers":
			if before := set("Before"); before != "o."+name+".Stop" && before != "o."+name+".Look" {
				p.report(f, field, "a Close does not end the waiting in %s", name)
			}
		case ft == "dpath.Place":
			if gone := f.assigned("o.h.Gone"); len(gone) != 1 || !contains(gone[0], "o."+name+".Close") {
				p.report(f, field, "a Close leaves elements of the region valid")
			}
		}
	}
}
