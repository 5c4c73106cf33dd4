package vet

import (
	"go/ast"
	"go/types"
	"math/big"
	"strings"
)

// operation is a method that begins a request: the fields of the C struct that its arguments go to, "" where no rule looks at them. Those
// of a stream are where the functions of a stream take them from.
type operation struct {
	opcode string
	args   []string
	flags  uint64
}

// begins are the operations by type and name of the method. The package dpath is written by hand, so no model has them.
var begins = map[string]operation{
	"SendWR.Send":        {"IBV_WR_SEND", []string{"wr_id"}, 0},
	"SendWR.SendImm":     {"IBV_WR_SEND_WITH_IMM", []string{"wr_id"}, 0},
	"SendWR.SendInv":     {"IBV_WR_SEND_WITH_INV", []string{"wr_id", "invalidate_rkey"}, 0},
	"SendWR.LocalInv":    {"IBV_WR_LOCAL_INV", []string{"wr_id", "invalidate_rkey"}, 0},
	"SendWR.Write":       {"IBV_WR_RDMA_WRITE", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey"}, 0},
	"SendWR.WriteImm":    {"IBV_WR_RDMA_WRITE_WITH_IMM", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey"}, 0},
	"SendWR.Read":        {"IBV_WR_RDMA_READ", []string{"wr_id", "wr.rdma.remote_addr", "wr.rdma.rkey"}, 0},
	"SendWR.CompareSwap": {"IBV_WR_ATOMIC_CMP_AND_SWP", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey"}, 0},
	"SendWR.FetchAdd":    {"IBV_WR_ATOMIC_FETCH_AND_ADD", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey"}, 0},
	"SendWR.AtomicWrite": {"IBV_WR_ATOMIC_WRITE", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey"}, 0},
	"SendWR.Flush": {"IBV_WR_FLUSH", []string{"wr_id", "wr.atomic.remote_addr", "wr.atomic.rkey", "wr.atomic.compare_add",
		"invalidate_rkey", "wr.atomic.swap"}, 0},
	"SendWR.SendTSO": {"IBV_WR_TSO", []string{"wr_id", "", "invalidate_rkey"}, 0},
	"RecvWR.Recv":    {"", []string{"wr_id"}, 0},
	"OpsWR.Add":      {"IBV_WR_TAG_ADD", []string{"wr_id", "tm.add.recv_wr_id", "tm.add.tag", "tm.add.mask"}, 0},
	"OpsWR.Del":      {"IBV_WR_TAG_DEL", []string{"wr_id", "tm.handle"}, 0},
	"OpsWR.Sync":     {"IBV_WR_TAG_SYNC", []string{"wr_id", "tm.unexpected_cnt"}, tagSync},
}

const (
	sendInline = 1 << 3 // IBV_SEND_INLINE
	tagSync    = 1 << 1 // IBV_OPS_TM_SYNC
)

// dataPath walks a call of the data path; false for another one.
func (w *walker) dataPath(e *ast.CallExpr, fn *types.Func) (out []value, ok bool) {
	sig := fn.Signature()
	s, method := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	switch {
	case sig.Results().Len() == 0 && sig.Recv() == nil:
		return nil, false
	case sig.Recv() == nil:
		kind, is := strings.CutSuffix(ofDataPath(sig.Results().At(0).Type()), "Batch")
		if !is || fn.Name() != "New"+kind+"Batch" {
			return nil, false
		}
		w.exprs(e.Args)
		return []value{&batch{kind: kind + "WR", wrs: map[int64]*request{}, made: true}}, true
	case !method:
		return nil, false
	case sig.Params().Len() == 2 && sig.Results().Len() > 0 && isElement(sig.Results().At(0).Type()): // of a region
		w.expr(s.X)
		return []value{element{w.exprs(e.Args)[1]}}, true
	}
	name := ofDataPath(sig.Recv().Type())
	if kind, is := strings.CutSuffix(name, "Batch"); is {
		return w.ofBatch(e, s, fn.Name(), kind+"WR"), true
	}
	if name == "Range" && fn.Name() == "Advance" {
		w.advance(e, s)
		return nil, true
	}
	if !strings.HasSuffix(name, "WR") {
		return nil, false
	}
	r, _ := w.expr(s.X).(*request)
	if r == nil {
		r = newRequest(name, false)
	}
	w.build(r, e, name, fn.Name())
	w.touched = append(w.touched, r)
	return []value{r}, true
}

// ofBatch walks a call of a method of a batch.
func (w *walker) ofBatch(e *ast.CallExpr, s *ast.SelectorExpr, name, kind string) []value {
	b, _ := w.expr(s.X).(*batch)
	args := w.exprs(e.Args)
	if b == nil {
		b = &batch{kind: kind, lost: true}
	}
	switch name {
	case "WR":
		return []value{b.request(valueAt(args, 0))}
	case "All":
		b.forget() // it yields each of them
	case "From":
		return []value{span{b, valueAt(args, 0), valueAt(args, 1)}}
	}
	return nil
}

// remotes are the members of a request that have its remote address.
var remotes = []string{"wr.rdma.remote_addr", "wr.atomic.remote_addr"}

// advance walks a call that moves the addresses of requests: it is not known where to.
func (w *walker) advance(e *ast.CallExpr, s *ast.SelectorExpr) {
	of, _ := w.expr(s.X).(span)
	w.exprs(e.Args)
	if of.batch == nil {
		return
	}
	for _, r := range of.batch.wrs {
		r.move(nil, e)
	}
}

// move changes the remote address of a request that has one.
func (r *request) move(to value, at ast.Node) {
	for _, path := range remotes {
		if _, set := r.fields[path]; set {
			r.set(path, to, at)
		}
	}
}

// build walks a call of a method of a request.
func (w *walker) build(r *request, e *ast.CallExpr, kind, name string) {
	args := w.exprs(e.Args)
	if op, ok := begins[kind+"."+name]; ok {
		r.begin(op, args, e)
		if name == "SendTSO" {
			r.header(args[1], e.Args[1])
		}
		return
	}
	switch name {
	case "SGE":
		r.add(element{args[1]}, e.Args[1])
	case "Add":
		r.add(args[0], e.Args[0])
	case "Flags":
		r.flag(args[0], e.Args[0])
	case "SetFlags":
		r.set(flagsPath, args[0], e.Args[0])
	case "InlineData":
		r.inline(args, e)
	case "Unexpected":
		r.set("tm.unexpected_cnt", args[0], e.Args[0])
		r.flag(big.NewInt(tagSync), e)
	case "To":
		r.address(args, e)
	case "ToSRQ":
		r.set("qp_type.xrc.remote_srqn", args[0], e.Args[0])
	case "SetRemote":
		r.move(args[0], e.Args[0])
	case "SGEs":
		r.count = false
	case "SetID", "SetImm", "SetRKey", "SetAddr", "Opcode", "Handle": // no rule looks at what they change
	default:
		r.lost = true
	}
}

// header is the header of a message that a stream sends in segments.
func (r *request) header(v value, at ast.Expr) {
	l, ok := v.(list)
	r.set("wr.atomic.swap", nil, at)
	r.set("wr.atomic.rkey", nil, at)
	if _, none := v.(null); none || ok && l.n == 0 {
		r.set("wr.atomic.swap", new(big.Int), at)
		r.set("wr.atomic.rkey", new(big.Int), at)
	} else if ok {
		r.set("wr.atomic.swap", some{}, at)
		r.set("wr.atomic.rkey", big.NewInt(l.n), at)
	}
}

// inline adds the element of inline data.
func (r *request) inline(data []value, e *ast.CallExpr) {
	total, known := int64(0), !e.Ellipsis.IsValid()
	for _, d := range data {
		l, ok := d.(list)
		total, known = total+l.n, known && ok
	}
	switch {
	case !known: // it may be nothing
		r.count = false
		r.set(flagsPath, nil, e)
	case total > 0:
		r.add(element{big.NewInt(total)}, e.Args[0])
		r.flag(big.NewInt(sendInline), e.Args[0])
	}
}

// address is the destination of a datagram: an address handle, a number and a key.
func (r *request) address(args []value, e *ast.CallExpr) {
	for i, path := range []string{"wr.ud.ah", "wr.ud.remote_qpn", "wr.ud.remote_qkey"} {
		v := valueAt(args, i)
		if v == nil && i == 0 {
			v = some{}
		}
		r.set(path, v, e)
	}
}

// onRequest walks a call of a generated method that writes to a request: AH.Address and MW.Bind.
func (w *walker) onRequest(recv value, args []value, e *ast.CallExpr) {
	r, ok := args[0].(*request)
	if !ok {
		return
	}
	w.touched = append(w.touched, r)
	if recv == nil {
		recv = some{}
	}
	attr, bind := args[len(args)-1].(*record)
	if !bind {
		r.address(append([]value{recv}, args[1:]...), e)
		return
	}
	r.begin(operation{opcode: "IBV_WR_BIND_MW"}, nil, e)
	r.set("bind_mw.mw", recv, e)
	for _, f := range attr.of.Fields {
		v, set := attr.fields[f]
		switch {
		case attr.lost:
			v = nil
		case !set && f.Object != nil:
			continue // the call returns an error
		case !set:
			v = new(big.Int)
		}
		path := f.C
		if strings.HasPrefix(path, "bind_info.") {
			path = "bind_mw." + path
		} else if strings.HasSuffix(path, "flags") {
			path = flagsPath
		}
		r.set(path, v, e)
		if at, known := attr.at[f]; known {
			r.at[path] = at
		}
	}
}

// variable is what is known of a variable. One with a batch that the function did not make has requests of which nothing is known.
func (w *walker) variable(id *ast.Ident) value {
	o, _ := w.pass.TypesInfo.ObjectOf(id).(*types.Var)
	if o == nil {
		return nil
	}
	kind, is := strings.CutSuffix(ofDataPath(o.Type()), "Batch")
	if w.vars[o] == nil && is && isBatch(o.Type()) && !w.loose[o] && !o.IsField() && o.Pkg() != nil && o.Parent() != o.Pkg().Scope() {
		w.vars[o] = &batch{kind: kind + "WR", wrs: map[int64]*request{}}
	}
	return w.vars[o]
}

// changedElsewhere forgets the requests that other code may have, when it runs: those of batches that the function did not make.
func (w *walker) changedElsewhere() {
	for _, v := range w.vars {
		switch v := v.(type) {
		case *batch:
			if !v.made {
				v.forget()
			}
		case *request:
			v.lost = v.lost || !v.made
		}
	}
}
