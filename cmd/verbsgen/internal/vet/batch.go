package vet

import (
	"go/ast"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
)

// batch is an array of work requests, which all variables that have it share.
type batch struct {
	kind string // "SendWR": the type of its requests
	wrs  map[int64]*request
	made bool // the function made it: a request that nobody wrote to is zero
	lost bool // something else may have changed it
}

// request is a work request. What it has is known by the paths of its C struct; a path with a nil value is not known.
type request struct {
	kind   string
	fields map[string]value
	at     map[string]ast.Node // where a field got its value
	sges   []value             // elements; only known if counted
	count  bool                // the number of elements is known
	made   bool                // what no field has is zero
	lost   bool
}

// span are requests of a batch that are posted together.
type span struct {
	batch    *batch
	first, n value
}

// element is a scatter/gather element; length is what is known of it.
type element struct{ length value }

// stream is a stream of commands of a queue pair.
type stream struct {
	face face
	of   value
}

func newRequest(kind string, made bool) *request {
	r := &request{kind: kind, fields: map[string]value{}, at: map[string]ast.Node{}, made: made, count: made}
	if made && kind == "SendWR" {
		r.fields["opcode"] = opcodeOf("IBV_WR_SEND")
		r.fields[flagsPath] = new(big.Int)
	}
	return r
}

// opcodeOf is an opcode by its C name.
type opcodeOf string

// flagsPath is what the flags of a request are known by: its C field has another name in each struct.
const flagsPath = "flags"

// request is request i of a batch, one of which nothing is known when the index or the batch is not known.
func (b *batch) request(i value) *request {
	n, ok := i.(*big.Int)
	if !ok || b.lost || !n.IsInt64() {
		b.forget() // it may be each of them
		return newRequest(b.kind, false)
	}
	r := b.wrs[n.Int64()]
	if r == nil {
		r = newRequest(b.kind, b.made)
		b.wrs[n.Int64()] = r
	}
	return r
}

// forget drops what is known of the requests.
func (b *batch) forget() {
	for _, r := range b.wrs {
		r.lost = true
	}
	b.wrs, b.made = map[int64]*request{}, false
}

// begin begins an operation: the arguments of the method are the given fields.
func (r *request) begin(op operation, args []value, at *ast.CallExpr) {
	r.lost = false
	if op.opcode != "" {
		r.set("opcode", opcodeOf(op.opcode), at)
		r.set(flagsPath, new(big.Int).SetUint64(op.flags), at)
	}
	r.sges, r.count = nil, true
	if _, bound := r.fields["bind_mw.mw"]; bound { // a union: what it leaves of the others is not known
		maps.DeleteFunc(r.fields, func(path string, _ value) bool { return strings.HasPrefix(path, "bind_mw.") })
		r.fields["wr.ud.ah"], r.made = nil, false
	}
	if slices.ContainsFunc(op.args, func(s string) bool { return strings.HasPrefix(s, "wr.") }) {
		maps.DeleteFunc(r.fields, func(path string, _ value) bool { return strings.HasPrefix(path, "wr.") })
	} else if r.fields["wr.ud.ah"] == nil && r.has("wr.") { // what was an address of memory is that of an address handle now
		maps.DeleteFunc(r.fields, func(path string, _ value) bool { return strings.HasPrefix(path, "wr.") })
		r.fields["wr.ud.ah"] = nil
	}
	for i, path := range op.args {
		if path != "" && i < len(args) {
			r.set(path, args[i], at.Args[i])
		}
	}
}

// has reports whether a field is set whose path begins in some way.
func (r *request) has(prefix string) bool {
	for path := range r.fields {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

func (r *request) set(path string, v value, at ast.Node) { r.fields[path], r.at[path] = v, at }

// flag adds flags.
func (r *request) flag(v value, at ast.Node) {
	have, ok := r.fields[flagsPath].(*big.Int)
	more, is := v.(*big.Int)
	if !ok || !is {
		r.set(flagsPath, nil, at)
		return
	}
	r.set(flagsPath, new(big.Int).Or(have, more), at)
}

// add adds an element.
func (r *request) add(e value, at ast.Node) {
	if r.count {
		r.sges = append(r.sges, e)
		r.at["sg_list"] = at
	}
}

// copied copies a request for another state.
func (r *request) copied() *request {
	c := *r
	c.fields, c.at, c.sges = maps.Clone(r.fields), maps.Clone(r.at), slices.Clone(r.sges)
	return &c
}

func (b *batch) copied(seen map[any]value) *batch {
	c := *b
	c.wrs = map[int64]*request{}
	for i, r := range b.wrs {
		c.wrs[i] = copied(r, seen).(*request)
	}
	return &c
}

func (r *request) same(o *request) bool {
	return r.kind == o.kind && r.count == o.count && r.made == o.made && !r.lost && !o.lost && maps.EqualFunc(r.fields, o.fields, same) &&
		slices.EqualFunc(r.sges, o.sges, same)
}

func (b *batch) same(o *batch) bool {
	return b.made == o.made && !b.lost && !o.lost && maps.EqualFunc(b.wrs, o.wrs, (*request).same)
}

// cNames are the C names of what the types of requests have.
var cNames = map[string]struct{ flags, elements string }{
	"SendWR": {"send_flags", ""},
	"RecvWR": {"", ""},
	"OpsWR":  {"flags", "tm.add."},
}

// asCase is the C struct of a request.
func (r *request) asCase() any {
	if r.lost {
		return explain.Unsaid{}
	}
	out, own := map[string]any{}, cNames[r.kind]
	if r.kind == "SendWR" && !r.has("wr.") {
		put(out, "wr.ud.ah", explain.Unsaid{})
		if r.made && !r.has("bind_mw.") {
			put(out, "wr.ud.ah", nil)
		}
	}
	for path, v := range r.fields {
		if path == flagsPath {
			path = own.flags
		}
		if path != "" {
			put(out, path, asCase(v))
		}
	}
	if own.flags != "" && out[own.flags] == nil {
		out[own.flags] = explain.Unsaid{}
	}
	if r.fields["opcode"] == nil && r.kind != "RecvWR" {
		out["opcode"] = explain.Unsaid{}
	}
	if !r.count {
		put(out, own.elements+"num_sge", explain.Unsaid{})
		put(out, own.elements+"sg_list", explain.Unsaid{})
	} else if len(r.sges) > 0 {
		list := make([]any, len(r.sges))
		for i, e := range r.sges {
			list[i] = asCase(e)
		}
		put(out, own.elements+"sg_list", list)
	}
	return out
}

// put stores a value below a path with dots.
func put(m map[string]any, path string, v any) {
	head, rest, more := strings.Cut(path, ".")
	if !more {
		m[head] = v
		return
	}
	inner, ok := m[head].(map[string]any)
	if !ok {
		inner = map[string]any{}
		m[head] = inner
	}
	put(inner, rest, v)
}

// nodeOf is where a request got the value at a path, which may go on below the field; nil where nobody set it.
func (r *request) nodeOf(path string) ast.Node {
	if path == cNames[r.kind].flags {
		path = flagsPath
	}
	if path, _, _ = strings.Cut(path, "["); strings.HasSuffix(path, "num_sge") || strings.HasSuffix(path, "sg_list") {
		path = "sg_list"
	}
	return r.at[path]
}

// ofDataPath is the name of a type of the data path, or of what a pointer points to; empty for another type.
func ofDataPath(t types.Type) string {
	if n := typeName(t); n != nil && n.Pkg().Name() == "dpath" {
		return n.Name()
	}
	return ""
}

// typeName is the name of a type of a package, or of what a pointer points to; nil for another type.
func typeName(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj()
	}
	return nil
}
