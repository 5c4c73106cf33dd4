package vet

import (
	"go/ast"
	"go/types"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// caseOf is a call of a generated method as a case, and where its parameters are in the program.
type caseOf struct {
	recv   string // C parameter of the receiver
	b      *bindings
	face   face
	args   map[string]any
	given  map[string]ast.Expr // by C parameter
	values map[string]value

	// Of a posted request:
	request *request
	number  int64       // in its batch
	paths   [][2]string // where C parameters come from in it
}

// call walks a call, and is what is known of its results.
func (w *walker) call(e *ast.CallExpr) []value {
	if tv := w.pass.TypesInfo.Types[e.Fun]; tv.IsType() {
		v := w.expr(e.Args[0])
		if i, ok := v.(*big.Int); ok {
			return []value{wrapped(i, tv.Type)}
		}
		w.escape(v)
		return nil
	} else if tv.IsBuiltin() {
		return w.builtin(e)
	}
	fn := w.callee(e)
	if fn != nil {
		if from, ok := w.memory(e, fn); ok {
			return []value{from}
		}
		if values, ok := w.dataPath(e, fn); ok {
			return values
		}
	}
	if !w.generated(fn) {
		return w.foreign(e)
	}
	b, sig := w.from[fn.Pkg().Path()], fn.Signature()
	if sig.Recv() == nil {
		if r := b.records[strings.TrimPrefix(fn.Name(), "New")]; r != nil && !r.Plain && strings.HasPrefix(fn.Name(), "New") {
			return w.construct(e, b, r)
		}
		return w.foreign(e)
	}
	_, name := w.named(sig.Recv().Type())
	if r := b.records[name]; r != nil && !r.Plain {
		return w.setter(e, fn)
	}
	if f, ok := b.methods[name+"."+fn.Name()]; ok {
		return w.verb(e, b, f, sig)
	}
	if of, ok := strings.CutSuffix(name, "Stream"); ok && b.objects[of] != nil && sig.Params().Len() > 0 {
		w.streamed(e, b)
		return nil
	}
	if b.objects[name] != nil && sig.Params().Len() == 0 && !returnsError(sig) {
		return nil // it reads a field
	}
	return w.foreign(e)
}

func returnsError(sig *types.Signature) bool {
	n := sig.Results().Len()
	return n > 0 && types.Identical(sig.Results().At(n-1).Type(), types.Universe.Lookup("error").Type())
}

// callee is the function or method that a call names; nil for a variable.
func (w *walker) callee(e *ast.CallExpr) *types.Func {
	fn, _ := typeutil.Callee(w.pass.TypesInfo, e).(*types.Func)
	return fn
}

// foreign walks a call of other code, which may change what it gets the address of.
func (w *walker) foreign(e *ast.CallExpr) []value {
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		if _, pkg := w.pass.TypesInfo.Uses[rootIdent(s.X)].(*types.PkgName); !pkg {
			w.escape(w.expr(s.X))
		}
	} else {
		w.expr(e.Fun)
	}
	for _, v := range w.exprs(e.Args) {
		w.escape(v)
	}
	w.changedElsewhere()
	return nil
}

// builtin walks a call of make, len and the like.
func (w *walker) builtin(e *ast.CallExpr) []value {
	name := ""
	if id := rootIdent(e.Fun); id != nil {
		name = id.Name
	}
	t := w.pass.TypesInfo.TypeOf(e)
	switch name {
	case "make":
		args := w.exprs(e.Args[1:])
		if _, slice := t.Underlying().(*types.Slice); slice && len(args) > 0 {
			if n, ok := args[0].(*big.Int); ok && n.IsInt64() {
				return []value{list{n: n.Int64()}}
			}
		}
	case "len":
		if l, ok := w.expr(e.Args[0]).(list); ok {
			return []value{big.NewInt(l.n)}
		}
	case "new":
		if b, r := w.recordOf(t); r != nil && r.Plain {
			x := newRecord(b, r)
			x.shared = true
			return []value{x}
		}
	default:
		for _, a := range e.Args {
			w.escape(w.expr(a))
		}
	}
	return nil
}

// construct is the builder that NewX returns.
func (w *walker) construct(e *ast.CallExpr, b *bindings, of *model.Record) []value {
	r, args := newRecord(b, of), w.exprs(e.Args)
	for i, f := range of.New {
		if i < len(args) {
			r.set(f, w.meant(f, args[i]), e.Args[i])
		}
	}
	return []value{r}
}

// setter is the builder that a method of it returns: itself.
func (w *walker) setter(e *ast.CallExpr, fn *types.Func) []value {
	s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return w.foreign(e)
	}
	recv, args := w.expr(s.X), w.exprs(e.Args)
	r, known := recv.(*record)
	if !known {
		return nil
	}
	if f := r.field(fn.Name()); f != nil && len(args) == 1 && f.Callback != "" && f.Len != nil {
		from := sourceOf(args[0])
		r.set(f, from.addr, e.Args[0])
		for _, x := range r.of.Fields {
			if x.Leaf == f.Len {
				r.set(x, from.length, e.Args[0])
			}
		}
		return []value{r}
	} else if f != nil && len(args) == 1 {
		r.set(f, w.meant(f, args[0]), e.Args[0])
		if f.Points != nil || f.Handles != nil || f.Bytes || f.Callback != "" || f.Nested != nil {
			w.escape(args[0])
		}
		return []value{r}
	}
	for _, bit := range r.of.Bits {
		if bit.Go == fn.Name() {
			r.bits |= uint64(bit.Value)
			return []value{r}
		}
	}
	r.lost = true
	return []value{r}
}

// meant is a value for a field of a builder: a handle that a program sets there is meant to be one.
func (w *walker) meant(f *model.Field, v value) value {
	if v == nil && f.Object != nil {
		return some{}
	}
	return v
}

// verb walks a call of a generated method, and has it judged.
func (w *walker) verb(e *ast.CallExpr, b *bindings, f face, sig *types.Signature) []value {
	var recv value
	if s, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
		recv = w.expr(s.X)
	}
	args := w.exprs(e.Args)
	if w.posted(e, b, f, recv, args, sig) {
		return nil
	}
	if f.method.Form == form.Stream {
		return []value{&stream{f, recv}}
	}
	c := &caseOf{b: b, face: f, args: map[string]any{}, given: map[string]ast.Expr{}, values: map[string]value{}}
	entered := false
	for _, p := range f.verb.Params {
		var v value
		switch fixed, is := f.method.Fixed[p.C]; {
		case !taken(p):
			continue
		case p.Object != nil && p.Object.Go == f.method.Recv && !entered:
			entered = true
			if v = recv; v == nil {
				v = some{}
			}
			c.recv = p.C
		case is:
			v = fixed
		default:
			v = w.argument(c, p, e, args, sig)
		}
		c.values[p.C], c.args[p.C] = v, asCase(v)
	}
	for _, p := range f.verb.Params { // the mask of a builder is a parameter of its own
		if p.Role != role.Mask {
			continue
		}
		for _, q := range f.verb.Params {
			if r, ok := c.values[q.C].(*record); ok && r.of == p.Record && !r.lost {
				c.args[p.C] = new(big.Int).SetUint64(r.bits)
			}
		}
	}
	if f.method.Form != form.Special || c.all() {
		w.found(e, c)
	}
	c.move()
	if f.verb.Creates != nil {
		return []value{c.made()}
	}
	return nil
}

// all reports whether a method that is written by hand takes each parameter of the verb. Otherwise it makes some of them itself, or does
// not call the verb.
func (c *caseOf) all() bool {
	for _, p := range c.face.verb.Params {
		if p.C != c.recv && taken(p) && p.Role != role.Mask && c.given[p.C] == nil {
			return false
		}
	}
	return true
}

// argument is what is known of a parameter of C, by the Go parameter that it comes from.
func (w *walker) argument(c *caseOf, p *model.Param, e *ast.CallExpr, args []value, sig *types.Signature) value {
	if c.face.verb.HostMemory(p) {
		if v, done := w.ofSource(c, p, args, sig); done {
			return v
		}
	}
	if name := form.DMABufField(c.face.method.Form, p.C); name != "" {
		for i, v := range args {
			if buf, ok := v.(dmaBuf); ok {
				c.given[p.C] = e.Args[i]
				return buf[name]
			}
		}
		return nil
	}
	if i := position(sig, p.Go); i >= 0 && fits(sig.Params().At(i).Type(), p, sig.Variadic() && i == sig.Params().Len()-1) {
		if p.Rest {
			return w.rest(c, p, e, args, i)
		}
		if i >= len(args) {
			return nil
		}
		c.given[p.C] = e.Args[i]
		return w.withFlags(c, p, args[i])
	}
	for _, q := range c.face.verb.Params { // the length of a slice
		if q.Len == p {
			switch l := valueAt(args, position(sig, q.Go)).(type) {
			case list:
				return big.NewInt(l.n)
			case null:
				return new(big.Int)
			}
		}
	}
	return nil
}

// position is the index of a parameter; -1 without one of the name.
func position(sig *types.Signature, name string) int {
	return slices.IndexFunc(slices.Collect(sig.Params().Variables()), func(x *types.Var) bool { return x.Name() == name })
}

func valueAt(args []value, i int) value {
	if i >= 0 && i < len(args) {
		return args[i]
	}
	return nil
}

// withFlags adds the flags that a method always sets.
func (w *walker) withFlags(c *caseOf, p *model.Param, v value) value {
	i, ok := v.(*big.Int)
	if !ok {
		return v
	}
	out := new(big.Int).Set(i)
	for _, flag := range c.face.method.Sets[p.C] {
		out.Or(out, big.NewInt(flag.Value))
	}
	return out
}

// rest are flags that are given one by one; without any, all are meant.
func (w *walker) rest(c *caseOf, p *model.Param, e *ast.CallExpr, args []value, from int) value {
	if e.Ellipsis.IsValid() {
		return nil
	}
	if len(args) <= from {
		return new(big.Int).SetUint64(p.Enum.Known)
	}
	out := new(big.Int)
	for _, v := range args[from:] {
		i, ok := v.(*big.Int)
		if !ok {
			return nil
		}
		out.Or(out, i)
	}
	c.given[p.C] = e.Args[from]
	return out
}

// source is memory that a call takes: its address and its length.
type source struct{ addr, length value }

// sourceOf is what is known of memory that is given as v, a slice or a mem.Source.
func sourceOf(v value) source {
	switch v := v.(type) {
	case source:
		return v
	case list:
		if v.n > 0 {
			return source{some{}, big.NewInt(v.n)}
		}
		return source{nil, new(big.Int)}
	case null:
		return source{}
	}
	return source{some{}, nil}
}

// memory is what a function of package mem returns, if it makes a mem.Source.
func (w *walker) memory(e *ast.CallExpr, fn *types.Func) (v value, ok bool) {
	t := fn.Signature().Results()
	if fn.Pkg() == nil || fn.Pkg().Name() != "mem" || t.Len() != 1 || types.TypeString(t.At(0).Type(), (*types.Package).Name) != "mem.Source" {
		return nil, false
	}
	if args := w.exprs(e.Args); len(args) == 2 {
		return source{args[0], args[1]}, true
	} else {
		return sourceOf(args[0]), true
	}
}

// ofSource is the address or the length of the memory that a method takes as one argument.
func (w *walker) ofSource(c *caseOf, p *model.Param, args []value, sig *types.Signature) (v value, done bool) {
	name := map[string]string{form.Bytes: "buf", form.Memory: "from"}[c.face.method.Form]
	i := position(sig, name)
	switch from := sourceOf(valueAt(args, i)); {
	case name == "" || i < 0:
		return nil, name != ""
	case p.Len != nil:
		return from.addr, true
	default:
		return from.length, true
	}
}

// fits reports whether a Go parameter has the type that the verb's has.
func fits(t types.Type, p *model.Param, variadic bool) bool {
	want := p.GoType
	if s, ok := t.(*types.Slice); ok && variadic && p.Rest {
		t = s.Elem()
	}
	got := types.TypeString(t, func(*types.Package) string { return "" })
	short := want[strings.LastIndexAny(want, ".*]")+1:]
	got = strings.TrimLeft(got, "*[]")
	return got == short || got == model.Unexported(short)
}
