package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A need is a handle that a function uses and that its callers have to enter, or not to be nil.
type need struct {
	param int    // the receiver and the parameters, in order
	path  string // behind the parameter: ".pd"
	open  bool   // entered; else it must not be nil
}

// use is a use of a handle.
type use struct {
	handle string
	open   bool
	at     site
}

// entered: a handle is entered before its C object is used, and is not nil where its other fields are: else Close may end the object
// during the call, or the program crashes. What a helper uses, its callers enter.
func entered(p *Package, f *function) {
	seen := map[need]bool{}
	for _, u := range p.unmet(f) {
		n, ok := f.need(u)
		if ok && !f.exported() || seen[n] {
			continue // its callers are asked
		}
		seen[n] = ok
		if u.open {
			p.report(f, u.at, "%s is used and not entered before; a Close may end it meanwhile", u.handle)
		} else {
			p.report(f, u.at, "%s may be nil here", u.handle)
		}
	}
}

// unmet lists the uses of handles in a function, and in those that it calls, that nothing before them makes safe.
func (p *Package) unmet(f *function) (out []use) {
	if f.decl.Name.Name == "base" { // which says what is wrong with a handle
		return nil
	}
	for _, s := range f.nodes {
		switch n := s.Node.(type) {
		case *ast.SelectorExpr:
			sel, typ := p.info.Selections[n], p.typeOf(n.X)
			if sel == nil || sel.Kind() != types.FieldVal || !strings.HasPrefix(typ, "*") || !p.isHandle(typ[1:]) || p.trusted(f, n.X) {
				continue
			}
			u := use{text(n.X), n.Sel.Name == "h" && !ofHandle(s), s}
			if !f.met(u) {
				out = append(out, u)
			}
		case *ast.CallExpr:
			out = append(out, p.unmetOf(f, s, n)...)
		}
	}
	return out
}

// ofHandle reports whether a selector x.h is one of what a handle answers itself, open or not: x.h.Label().
func ofHandle(s site) bool {
	outer, ok := s.stack[len(s.stack)-1].(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Exit", "IsOpen", "Label", "String", "SetLabel", "Children"}, outer.Sel.Name)
}

// unmetOf lists the uses in a helper that one call of it leaves unsafe.
func (p *Package) unmetOf(f *function, s site, c *ast.CallExpr) (out []use) {
	var callee *function
	var args []ast.Expr
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		callee = p.funcs[p.info.Uses[fun]]
	case *ast.SelectorExpr:
		callee = p.funcs[p.info.Uses[fun.Sel]]
		args = []ast.Expr{fun.X}
	}
	if callee == nil || callee == f || callee.exported() {
		return nil
	}
	args = append(args, c.Args...)
	for _, n := range p.needsOf(callee) {
		if n.param >= len(args) || n.path == "" && p.trusted(f, args[n.param]) {
			continue
		}
		u := use{strings.TrimPrefix(text(args[n.param]), "&") + n.path, n.open, s}
		if !f.met(u) {
			out = append(out, u)
		}
	}
	return out
}

func (p *Package) needsOf(f *function) []need {
	if !f.asked {
		f.asked, f.needs = true, nil
		for _, u := range p.unmet(f) {
			if n, ok := f.need(u); ok && !slices.Contains(f.needs, n) {
				f.needs = append(f.needs, n)
			}
		}
	}
	return f.needs
}

// need is what a use asks of callers; false for what no caller has.
func (f *function) need(u use) (need, bool) {
	root, rest, _ := strings.Cut(u.handle, ".")
	names, _ := f.params()
	i := slices.Index(names, root)
	return need{i, strings.TrimPrefix(u.handle, root), u.open}, i >= 0 && !strings.Contains(rest, "(")
}

// trusted reports whether an expression is a handle that cannot be closed: a new one that nobody knows yet, the parent of a handle, or
// what a function of the runtime answers.
func (p *Package) trusted(f *function, e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.CallExpr:
		return true
	case *ast.SelectorExpr:
		return p.isHandle(p.typeOf(x.X))
	case *ast.Ident:
		if len(each(f, func(l *ast.FuncLit) bool {
			return slices.ContainsFunc(l.Type.Params.List, func(d *ast.Field) bool { return mentions(d, x.Name) })
		})) > 0 {
			return true
		}
		for _, s := range f.assigned(x.Name) {
			a := s.assign
			switch v := a.Rhs[0].(type) {
			case *ast.CallExpr:
				if a.Tok == token.DEFINE && (strings.HasPrefix(callee(v), "new") || strings.HasPrefix(callee(v), "bridge.")) {
					return true
				}
			case *ast.UnaryExpr:
				if _, lit := v.X.(*ast.CompositeLit); lit {
					return true
				}
			}
		}
	}
	return false
}

// met reports whether a handle is safe to use in a place.
func (f *function) met(u use) bool {
	enters := f.calls(u.handle+".base().Enter", u.handle+".base().EnterBeside")
	if slices.ContainsFunc(enters, func(s site) bool { return s.before(u.at) && s.failing() }) {
		return true
	}
	return !u.open && f.notNil(u.handle, u.at)
}

// failing reports whether the function returns where a call fails: if err := call(); err != nil { return err }.
func (s site) failing() bool {
	for i := len(s.stack) - 1; i >= 0; i-- {
		switch n := s.stack[i].(type) {
		case *ast.IfStmt:
			return returns(n)
		case *ast.AssignStmt:
			if _, init := s.stack[i-1].(*ast.IfStmt); init {
				continue
			}
			next, ok := s.next().(*ast.IfStmt)
			return ok && returns(next)
		case *ast.ReturnStmt:
			return true
		case *ast.BlockStmt:
			return false
		}
	}
	return false
}

// returns reports whether a function returns where a condition holds.
func returns(n *ast.IfStmt) bool {
	if len(n.Body.List) == 0 {
		return false
	}
	_, ok := n.Body.List[len(n.Body.List)-1].(*ast.ReturnStmt)
	return ok
}

// notNil reports whether a pointer is not nil in a place: it was compared with nil, the zero value took nil's place, or a helper entered
// it. A reader or a stream that has one field has all.
func (f *function) notNil(x string, at site) bool {
	if of, _, field := strings.Cut(x, "."); field && of == f.recv && f.guarded(at, of+".* == nil") {
		return true
	}
	for _, s := range f.nodes {
		switch n := s.Node.(type) {
		case *ast.AssignStmt:
			if s.before(at) && text(n.Lhs[0]) == x && len(n.Rhs) == 1 && text(n.Rhs[0]) == "object.OrZero("+x+")" {
				return true
			}
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && text(sel.X) == x && s.before(at) && s.failing() {
				if g := f.p.funcs[f.p.info.Uses[sel.Sel]]; g != nil && len(g.calls(g.recv+".base().Enter")) > 0 {
					return true
				}
			}
		case *ast.IfStmt:
			if s.Pos() > at.Pos() {
				continue
			}
			isNil := operand(n.Cond, token.LOR, x+" == nil") || operand(n.Cond, token.LOR, "!"+x+".base().IsOpen()")
			if isNil && s.before(at) && returns(n) || operand(n.Cond, token.LAND, x+" != nil") && at.Pos() < n.End() {
				return true
			}
		}
	}
	return false
}

// operand reports whether a condition is an expression, or has it among the operands of op.
func operand(cond ast.Expr, op token.Token, expr string) bool {
	if b, ok := cond.(*ast.BinaryExpr); ok && b.Op == op {
		return operand(b.X, op, expr) || operand(b.Y, op, expr)
	}
	return text(cond) == expr
}

// exited: what begins for a call ends by a defer right behind it, so that it ends on every path.
func exited(p *Package, f *function) {
	for _, s := range f.enters() {
		f.ends(s.site, "the use of "+s.handle, s.handle+".h.Exit")
	}
	for _, s := range f.calls("*.mu.Lock") {
		f.ends(s, "the lock", strings.TrimSuffix(s.name, "Lock")+"Unlock")
	}
	for _, s := range each(f, every[*ast.ValueSpec]) {
		v := s.Node.(*ast.ValueSpec)
		if v.Type == nil {
			continue
		}
		switch text(v.Type) {
		case "object.Uses":
			f.ends(s, "the use of handles", v.Names[0].Name+".Exit")
		case "cmem.Pins":
			f.ends(s, "the pinning of memory", v.Names[0].Name+".Unpin")
		}
	}
	for _, s := range each(f, func(a *ast.AssignStmt) bool {
		c, ok := a.Rhs[0].(*ast.CompositeLit)
		return ok && text(c.Type) == "bridge.Uses"
	}) {
		f.ends(s, "the use of handles of another package", text(s.assign.Lhs[0])+".Exit")
	}
	for _, s := range f.calls("cmem.PinData") {
		if n := len(s.stack); n < 2 || !isDefer(s.stack[n-2]) {
			p.report(f, s, "the pinning of memory does not end by a defer; it must end when the method returns")
		}
	}
}

func isDefer(n ast.Node) bool { _, ok := n.(*ast.DeferStmt); return ok }

// ends reports a site that the given deferred call does not follow at once.
func (f *function) ends(s site, what, by string) {
	next := s.next()
	if d, ok := next.(*ast.DeferStmt); ok && callee(d.Call) == by {
		return
	}
	f.p.report(f, s, "%s does not end by defer %s() right behind; it must end on every path", what, by)
}

// oneDevice: the handles of one call are of one device, which C does not look at. A receiver that is a handle says which; beside one that
// is none, the uses of another package have its library and look at the device.
func oneDevice(p *Package, f *function) {
	_, typesOf := f.params()
	onHandle := f.recv != "" && p.isHandle(strings.TrimPrefix(text(typesOf[0]), "*"))
	for i, s := range f.enters() {
		what := strings.Trim(arg(s.site, 2), `"`)
		switch {
		case s.beside == "" && (onHandle && s.handle != f.recv || i > 0):
			p.report(f, s, "%s may be of another device than %s; enter it by EnterBeside", s.handle, f.recv)
		case s.beside != "" && s.beside != f.recv:
			p.report(f, s, "%s may be of another device than %s; it is entered beside %s", s.handle, f.recv, s.beside)
		case s.beside != "" && f.cName(s.handle) != strings.ReplaceAll(what[strings.LastIndex(what, ".")+1:], "_", ""):
			p.report(f, s, "an error about %s would be one about %s", s.handle, what)
		}
	}
	if uses := f.assigned("verbsUses"); len(uses) > 0 {
		f.sameDevice(uses[0])
	}
	for _, s := range f.calls("object.UseList", "object.UseArms") {
		if arg(s, 1) != f.recv+".h" {
			p.report(f, s, "the handles of %s may be of another device than %s", arg(s, 4), f.recv)
		}
	}
	for _, s := range each(f, func(c *ast.CompositeLit) bool { return c.Type != nil && text(c.Type) == "bridge.Uses" }) {
		for _, want := range []string{"Verb", "Lib"} {
			if !slices.ContainsFunc(s.Node.(*ast.CompositeLit).Elts, func(e ast.Expr) bool {
				kv, ok := e.(*ast.KeyValueExpr)
				return ok && text(kv.Key) == want
			}) {
				p.report(f, s, "the uses have no %s; nothing says whose handles the call takes", want)
			}
		}
	}
}

// cName is the last part of the C name of a handle that a method takes, without underscores and in lower case.
func (f *function) cName(h string) string {
	for _, raw := range f.raws() {
		if x := f.p.param(raw, h); x != nil {
			return strings.ReplaceAll(x.C, "_", "")
		}
	}
	return strings.ToLower(h[strings.LastIndex(h, ".")+1:])
}

// sameDevice reports handles of this package that are made from one of another package, a device for instance, whose uses do not have that.
func (f *function) sameDevice(uses site) {
	given := map[ast.Expr]site{}
	for _, s := range f.enters() {
		given[s.x] = s.site
	}
	for _, s := range f.calls("bridge.EnterOptional") {
		given[s.call.Args[2]] = s
	}
	for x, s := range given {
		name := strings.TrimPrefix(f.p.typeOf(x), "*")
		if !f.p.isHandle(name) {
			continue
		}
		for _, field := range f.p.structs[name].Fields.List {
			of := text(x) + "." + field.Names[0].Name
			used := slices.ContainsFunc(f.calls("bridge.EnterOptional"), func(s site) bool { return arg(s, 2) == of })
			if strings.HasPrefix(text(field.Type), "*verbs.") && !used {
				f.p.report(f, s, "%s may be of another device; the uses do not have %s", text(x), of)
			}
		}
	}
}
