package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has the rules on what surrounds a call of C.

// refused: what a program may pass and C cannot take is refused: nil in the place of a builder or a receiver, an int that does not fit,
// bytes that are too few or too many. C would read other memory, or another number.
func refused(p *Package, f *function) {
	if !f.exported() {
		return
	}
	names, of := f.params()
	for i, name := range names {
		t := text(of[i])
		for _, s := range each(f, func(e *ast.SelectorExpr) bool { return text(e.X) == name }) {
			_, field := p.info.Uses[s.Node.(*ast.SelectorExpr).Sel].(*types.Var)
			if p.structs[strings.TrimPrefix(t, "*")] != nil && t[0] == '*' && field && !p.isHandle(t[1:]) && !f.notNil(name, s) {
				p.report(f, s, "%s may be nil here", name)
			}
		}
		if len(f.reach()) == 0 {
			continue
		}
		number := ""
		switch t {
		case "int":
			number = name
		case "mem.DMABuf":
			number = name + ".FD"
		}
		for _, s := range f.calls("*") {
			switch c := s.call; {
			case len(c.Args) != 1:
			case number != "" && callee(c) == "int32" && arg(s, 0) == number && !f.guarded(s, "int(int32("+number+")) != "+number):
				p.report(f, s, "%s is not refused where it does not fit C's int", number)
			case regexp.MustCompile(`^uint(8|16)$`).MatchString(callee(c)) && arg(s, 0) == "len("+name+")" && !f.guarded(s, "len("+name+") > *"):
				p.report(f, s, "%s is not refused where its length does not fit", name)
			case callee(c) == "unsafe.SliceData" && arg(s, 0) == name && t == "[]byte":
				raw := s.stack[slices.IndexFunc(s.stack, func(n ast.Node) bool { c, ok := n.(*ast.CallExpr); return ok && isRaw(c) })]
				if !contains(raw, "len("+name+")") && !f.guarded(s, "len("+name+") < *") {
					p.report(f, s, "%s is not refused where it is too short; C does not get its length", name)
				}
			case callee(c) == "unsafe.Pointer" && arg(s, 0) == name && t[0] == '*' && !f.notNil(name, s):
				p.report(f, s, "%s is not refused where it is nil", name)
			}
		}
	}
}

// guarded reports whether the function has returned before a place where a condition held, which a pattern matches.
func (f *function) guarded(at site, pattern string) bool {
	return slices.ContainsFunc(each(f, every[*ast.IfStmt]), func(s site) bool {
		n := s.Node.(*ast.IfStmt)
		return s.before(at) && returns(n) && slices.ContainsFunc(operands(n.Cond), func(c string) bool { return matches(pattern, c) })
	})
}

// operands are the parts of a condition that && or || join.
func operands(cond ast.Expr) []string {
	if b, ok := cond.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
		return append(operands(b.X), operands(b.Y)...)
	}
	return []string{text(cond)}
}

// missing: a function that the library may lack is looked for before it is called and before memory is taken for the call, which would
// jump to address 0. A verb that an op of the device serves as well needs none, nor one that the C side answers for.
func missing(p *Package, f *function) {
	for _, s := range f.raws() {
		name := s.name
		if v := p.verb(name); v != nil && (v.Special != nil && v.Special.Op || v.Answers() && !strings.HasPrefix(f.name, "Lib.")) {
			continue
		}
		var symbols []string
		for _, a := range s.call.Args {
			if x, ok := a.(*ast.IndexExpr); ok && strings.HasSuffix(text(x.X), ".fn") {
				symbols = append(symbols, text(x))
			}
		}
		if len(symbols) > 0 && !f.looked(s, symbols) && !f.calledAfter(s, symbols) {
			p.report(f, s, "%s is called where the library may lack it; missing refuses that", name)
		}
	}
	for _, s := range f.raws() {
		v := p.verb(s.name)
		if v == nil || v.EndedBy == nil || v.EndedBy.Answers() {
			continue
		}
		if looks := len(each(f, isMissing)); looks == 0 || looks == 1 && !v.Answers() {
			p.report(f, s, "%s is not looked for, which ends the object", v.EndedBy.C)
		}
	}
	for _, take := range f.calls("*.Take", "*.hold") {
		for _, s := range each(f, isMissing) {
			if take.Pos() < s.Pos() {
				p.report(f, s, "memory is taken for a function that the library may lack; look for it first")
			}
		}
	}
	for _, s := range each(f, isMissing) { // of a verb that is called, or that ends what is made
		symbol := arg(s, 1)
		if len(f.raws()) > 0 && !slices.ContainsFunc(f.raws(), func(r site) bool { return mentions(r, symbol) }) && !f.endedBy(symbol) {
			p.report(f, s, "%s is looked for and not called; is the verb, or the end of its object, left out?", symbol)
		}
	}
}

func isMissing(c *ast.CallExpr) bool { return strings.HasSuffix(callee(c), ".missing") }

// looked reports whether a function returned before a place where the library lacks all of the symbols, or does there what it has.
func (f *function) looked(at site, symbols []string) bool {
	return slices.ContainsFunc(each(f, every[*ast.IfStmt]), func(s site) bool {
		n := s.Node.(*ast.IfStmt)
		lacks, has := operands(n.Cond), true
		for _, symbol := range symbols {
			has = has && (slices.Contains(lacks, symbol+" == 0") && s.before(at) && returns(n) ||
				slices.Contains(lacks, symbol+" != 0") && n.Body.Pos() < at.Pos() && at.Pos() < n.Body.End())
		}
		return has
	})
}

// calledAfter reports whether all callers of a helper look for the symbols before.
func (f *function) calledAfter(s site, symbols []string) bool {
	if f.name == "EventChannel.read" { // listen looks before it hands it to the poller
		return true
	}
	callers := 0
	for _, g := range f.p.order {
		for _, c := range g.calls("*." + f.decl.Name.Name) {
			if callers++; !g.looked(c, symbols) {
				return false
			}
		}
	}
	return callers > 0 && !f.exported()
}

// endedBy reports whether the new object of a function is ended by a method that calls a symbol.
func (f *function) endedBy(symbol string) bool {
	for _, s := range f.assigned("*.h.End") {
		if x, ok := s.assign.Rhs[0].(*ast.SelectorExpr); ok {
			if end := f.p.funcs[f.p.info.Uses[x.Sel]]; end != nil && mentions(end.decl.Body, symbol) {
				return true
			}
		}
	}
	return false
}

// verb is the verb of a raw function; nil without one.
func (p *Package) verb(raw string) *model.Verb {
	i := slices.IndexFunc(p.model.Verbs, func(v *model.Verb) bool { return "raw"+v.Go == raw })
	if i < 0 {
		return nil
	}
	return p.model.Verbs[i]
}

var judge = regexp.MustCompile(`^(check|judge|hint|refused|broken|see)[A-Z]`)

// param is the parameter of a verb that a raw call is of, by its name in Go; nil without one.
func (p *Package) param(raw site, name string) *model.Param {
	if v := p.verb(raw.name); v != nil {
		for _, x := range v.Params {
			if x.Go == name {
				return x
			}
		}
	}
	return nil
}

// judged: all that the rules of a verb look at is given to them, and they are held against the call before it is made; else a call goes
// through that no driver takes.
func judged(p *Package, f *function) {
	for _, s := range each(f, func(a *ast.AssignStmt) bool { return a.Tok == token.DEFINE && text(a.Lhs[0]) == "in" }) {
		lit, ok := s.assign.Rhs[0].(*ast.CompositeLit)
		if !ok {
			continue
		}
		verb := strings.TrimPrefix(text(lit.Type), "in")
		var lacks []string
		for _, field := range p.structs["in"+verb].Fields.List {
			for _, n := range field.Names {
				if !p.given(f, verb, n.Name) {
					lacks = append(lacks, n.Name)
				}
			}
		}
		if len(lacks) > 0 {
			p.report(f, s, "the rules look at %s, which nothing gives them", strings.Join(lacks, ", "))
		}
		if p.types.Scope().Lookup("check"+verb) != nil && len(f.calls("check"+verb)) != 1 {
			p.report(f, s, "the rules are not checked once")
		}
	}
	if strings.HasSuffix(f.name, ".lend") { // it has the caller check: bridge.Lend
		return
	}
	for _, c := range f.calls("check*", "judge*") {
		if !c.failing() || len(c.under) > 0 {
			p.report(f, c, "a call is made whatever its rules say")
		}
	}
	for _, s := range f.raws() {
		verb := strings.TrimPrefix(s.name, "raw")
		if p.types.Scope().Lookup("check"+verb) == nil || !f.exported() || p.undoes(f, s) {
			continue
		}
		if !slices.ContainsFunc(f.calls("check"+verb, "*.judge"+verb), func(c site) bool { return c.before(s) }) {
			p.report(f, s, "the rules are not checked before the call")
		}
	}
	for _, s := range f.assigned("in.cap*") { // by the device of the receiver
		for _, caps := range f.assigned("caps") {
			from := text(caps.assign.Rhs[0])
			if !slices.Contains([]string{f.recv + ".capabilities()", f.recv + ".dev.capabilities()"}, from) {
				p.report(f, s, "%s are not the capabilities of the device of %s", from, f.recv)
			}
		}
	}
	for _, s := range f.assigned("in.*") { // of what a query may change
		a, raws := s.assign, f.raws()
		forgotten := slices.ContainsFunc(f.assigned(text(a.Lhs[0])), func(x site) bool {
			return len(raws) > 0 && x.Pos() < raws[0].Pos() && text(x.assign.Rhs[0]) == "fail.Known{}"
		})
		if len(raws) > 0 && contains(a.Rhs[0], f.recv+".h.C") && !forgotten {
			p.report(f, s, "%s is not forgotten before the query; it would be that of before where the query fails", text(a.Lhs[0]))
		}
	}
	if name := f.decl.Name; judge.MatchString(name.Name) && !p.used(f) {
		p.report(f, name, "nothing calls it, so the rules are not checked")
	}
}

// undoes reports whether a raw call ends, for CloseAll, what the function attaches.
func (p *Package) undoes(f *function, raw site) bool {
	v := p.verb(raw.name)
	return v != nil && len(v.Methods) > 0 && v.Methods[0].Form == form.Detach && f.decl.Name.Name != v.Methods[0].Name
}

// given reports whether a function, or one that it calls, gives the rules of a verb what they look at.
func (p *Package) given(f *function, verb, field string) bool {
	for _, g := range p.order {
		if g != f && g.decl.Name.Name != "see"+verb {
			continue
		}
		if len(g.assigned("in."+field)) > 0 || len(each(g, func(kv *ast.KeyValueExpr) bool { return text(kv.Key) == field })) > 0 {
			return true
		}
	}
	return false
}

// used reports whether the package uses a function.
func (p *Package) used(f *function) bool {
	if p.uses == nil {
		p.uses = map[types.Object]bool{}
		for _, o := range p.info.Uses {
			p.uses[o] = true
		}
	}
	return p.uses[p.info.Defs[f.decl.Name]]
}

// hinted: the lints of a verb are reported once, after the call, which the device took, and with no lock held, as the program's function
// may call the same object.
func hinted(p *Package, f *function) {
	for _, s := range f.raws() {
		verb := strings.TrimPrefix(s.name, "raw")
		if p.types.Scope().Lookup("hint"+verb) == nil || !f.exported() || p.undoes(f, s) {
			continue
		}
		reports := f.calls("*.lints.Report")
		if len(reports) != 1 || reports[0].Pos() < s.Pos() || reports[0].inLit() || arg(reports[0], 0) != "hint"+verb+"(&in)" {
			p.report(f, s, "the lints of the verb are not reported once after the call, with no lock held")
		}
	}
}

// began: the count of callbacks that a call may run, and the properties that it sets, begin before the call. The properties get their value
// after it.
func began(p *Package, f *function) {
	for _, s := range f.calls("*.calls.Failed") {
		of := strings.TrimSuffix(s.name, ".Failed") + ".Begin"
		raw, begins := f.raws(), f.calls(of)
		if strings.HasPrefix(of, f.recv+".") && (len(begins) != 1 || len(raw) != 1 || !begins[0].before(raw[0])) {
			p.report(f, s, "an allocator answers for the call, and calls.Begin does not come before it")
		}
	}
	for mark := range p.marks(f) {
		begins, sets := f.calls(mark+".Begin"), f.calls(mark+".Set")
		for _, raw := range f.raws() {
			if len(begins) != len(sets) || !begins[0].before(raw) || sets[0].Pos() < raw.Pos() {
				p.report(f, raw, "%s is not begun before the call and set after it", mark)
			}
		}
	}
}

// marks are the properties of the receiver that a method sets.
func (p *Package) marks(f *function) map[string]bool {
	out := map[string]bool{}
	for _, s := range f.calls("*.Begin", "*.Set") {
		of, _, _ := strings.Cut(s.name, ".Begin")
		of, _, _ = strings.Cut(of, ".Set")
		if recv, field, _ := strings.Cut(of, "."); recv == f.recv && f.decl.Recv != nil &&
			p.field(text(f.decl.Recv.List[0].Type), field) == "fail.Mark" {
			out[of] = true
		}
	}
	return out
}

// asked: a reader or a stream is given out only of an object that was made for it, and of a provider that has the functions.
func asked(p *Package, f *function) {
	for _, s := range f.raws() {
		v := p.verb(s.name)
		if v != nil && v.View != nil && f.exported() && !slices.ContainsFunc(each(f, every[*ast.IfStmt]), func(x site) bool {
			n := x.Node.(*ast.IfStmt)
			return x.Pos() > s.Pos() && matches("!*.Found()", text(n.Cond)) && returns(n)
		}) {
			p.report(f, s, "nothing looks whether the object is one of this provider")
		}
		if v == nil || v.Reads == nil && v.Stream == nil || !p.isHandle(f.handleType()) {
			continue
		}
		before, after := f.calls("dpath.CheckAsked"), f.calls("dpath.Lacks")
		if len(before) != 1 || !before[0].before(s) || !before[0].failing() {
			p.report(f, s, "nothing looks whether the object was made for it")
		}
		if len(after) != 1 || after[0].Pos() < s.Pos() || !after[0].failing() {
			p.report(f, s, "nothing looks whether the provider has the functions")
		}
	}
}

// handleType is the type of the receiver, "" without one.
func (f *function) handleType() string {
	if f.decl.Recv == nil {
		return ""
	}
	return strings.TrimPrefix(text(f.decl.Recv.List[0].Type), "*")
}

// updated: after a verb that changes what getters return, they read it again, and nobody else reads or calls meanwhile.
func updated(p *Package, f *function) {
	for _, s := range f.assigned(f.recv + ".*") {
		held := func(l site) bool { return l.before(s) || slices.Contains(s.stack, l.Node) }
		if p.field(f.handleType(), "mu") != "" && f.exported() && !slices.ContainsFunc(f.calls(f.recv+".mu.Lock", "object.Locked"), held) {
			p.report(f, s, "nothing locks what getters read")
		}
	}
	for _, s := range each(f, every[*ast.ValueSpec]) {
		v := s.Node.(*ast.ValueSpec)
		if kept := f.recv + ".caps.Keep"; v.Type != nil && p.field(f.handleType(), "caps") == "fail.Caps["+text(v.Type)+"]" && f.exported() &&
			(len(f.calls(kept)) != 1 || arg(f.calls(kept)[0], 0) != v.Names[0].Name) {
			p.report(f, s, "the capabilities are read and not kept for rules")
		}
	}
	for _, s := range f.raws() {
		v := p.verb(s.name)
		if v == nil || !v.Updates || !f.exported() {
			continue
		}
		locked, loads := f.calls("object.Locked"), f.calls(f.recv+".load")
		if len(locked) != 1 || arg(locked[0], 0) != f.recv+".mu" || !slices.Contains(s.stack, locked[0].Node) || !locked[0].failing() {
			p.report(f, s, "nothing locks what getters read")
		} else if len(loads) != 1 || loads[0].Pos() < s.Pos() || !slices.Contains(loads[0].stack, locked[0].Node) {
			p.report(f, s, "getters return what was before the call")
		}
	}
}

// failed: a function returns where what it has called failed, before it goes on with what that gave.
func failed(p *Package, f *function) {
	for _, s := range each(f, every[*ast.AssignStmt]) {
		a := s.assign
		last := text(a.Lhs[len(a.Lhs)-1])
		if _, init := s.stack[len(s.stack)-1].(*ast.IfStmt); init || last != "err" && last != "errno" || len(a.Rhs) > 1 || len(f.raws()) == 0 {
			continue
		}
		if c, ok := a.Rhs[0].(*ast.CallExpr); !ok || strings.HasSuffix(callee(c), ".Errno") {
			continue
		}
		switch next := s.next().(type) {
		case *ast.IfStmt:
			if returns(next) && next.Init == nil && slices.ContainsFunc(a.Lhs, func(e ast.Expr) bool { return mentions(next.Cond, text(e)) }) {
				continue
			}
		case *ast.ReturnStmt:
			if mentions(next, last) {
				continue
			}
		}
		p.report(f, s, "nothing looks whether the call has failed")
	}
}

func isRaw(c *ast.CallExpr) bool {
	id, ok := c.Fun.(*ast.Ident)
	return ok && len(id.Name) > 3 && id.Name[:3] == "raw" && ast.IsExported(id.Name[3:])
}
