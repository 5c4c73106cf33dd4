package vet

import (
	"fmt"
	"go/types"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file writes cases of posted requests.

// posting is a program that posts the requests of a case, by a method of the verb or, for a function of a stream, by a stream.
func (m *module) posting(v *model.Verb, args map[string]any) (src, why string) {
	w := &writer{m: m, left: "unknown"}
	var requests []map[string]any
	post, recv := "Post(b, %d)", v.Params[0]
	if list := requestParamOf(v); list != nil {
		all, ok := args[list.C].([]any)
		if args[list.C] == nil && args[recv.C] == nil || args[list.C] != nil && !ok {
			return "", "no requests"
		}
		for _, x := range all {
			fields, ok := x.(map[string]any)
			if !ok {
				return "", "a request that is not a struct"
			}
			requests = append(requests, nestedFields(fields))
		}
		if len(all) == 0 {
			requests = []map[string]any{{}}
		}
		for _, method := range v.Methods {
			if strings.HasPrefix(method.Name, "Post") {
				post = method.Name + "(b, %d)"
			}
		}
	} else if fields := m.command(v, args); fields != nil {
		requests = []map[string]any{fields}
	} else {
		return "", "not of a stream"
	}
	props, _ := args[recv.C].(map[string]any)
	props = nestedFields(props)
	for name, x := range props {
		props[name[strings.LastIndex(name, ".")+1:]] = x
		delete(props, "qp_base")
	}
	if kind := m.kindOf(v); kind != "" {
		props["qp_type"] = kind
	}
	before, name := w.state(recv.Object, props)
	batch := "Send"
	if list := requestParamOf(v); list != nil {
		batch = map[string]string{"struct ibv_send_wr *": "Send", "struct ibv_recv_wr *": "Recv", "struct ibv_ops_wr *": "Ops"}[list.CType]
	} else {
		before += "s, _ := " + name + ".Stream(); "
		name = "s"
	}
	text := fmt.Sprintf("b, _ := %s.New%sBatch(%d, 16); ", m.types.Name(), batch, len(requests))
	for i, r := range requests {
		text += w.request(batch+"WR", i, r) + "; "
	}
	if w.why != "" {
		return "", w.why
	}
	vars := append([]string{"recv *" + m.types.Name() + "." + recv.Object.Go}, w.vars...)
	return fmt.Sprintf("package x\n\nimport %q\n\nvar (\n\t%s\n)\n\nfunc f() { %s%s%s.%s }\n", m.path, strings.Join(vars, "\n\t"),
		strings.Join(w.made, "")+before, text, name, fmt.Sprintf(post, len(requests))), ""
}

func requestParamOf(v *model.Verb) *model.Param {
	for _, kind := range []string{"SendWR", "RecvWR", "OpsWR"} {
		if p := requestParam(v, kind); p != nil && len(v.Methods) > 0 && v.Methods[0].Form == form.Special {
			return p
		}
	}
	return nil
}

// stream is the stream of commands of the module; nil without one.
func (m *module) stream() *model.Stream {
	for _, v := range m.model.Verbs {
		if v.Stream != nil {
			return v.Stream
		}
	}
	return nil
}

// kindOf is the type of queue pair that a stream calls a function for; empty for all.
func (m *module) kindOf(v *model.Verb) string {
	if s := m.stream(); s != nil {
		for _, x := range s.Setters {
			if "ibv_"+x.Op == v.C {
				return x.Kind.C
			}
		}
	}
	return ""
}

// command is the request for which a stream calls a function as a case has it; nil when it calls it for none.
func (m *module) command(v *model.Verb, args map[string]any) map[string]any {
	s := m.stream()
	if s == nil {
		return nil
	}
	out, from := map[string]any{}, []model.Arg(nil)
	for _, x := range s.Builders {
		if "ibv_"+x.Op == v.C {
			out["opcode"], from = x.Opcode.C, x.Args
		}
	}
	for _, x := range s.Setters {
		if "ibv_"+x.Op == v.C {
			out["opcode"], from = "IBV_WR_SEND", x.Args
		}
	}
	if len(out) == 0 {
		return nil
	}
	for i, a := range from {
		x, given := args[v.Params[i+1].C]
		path := strings.TrimPrefix(a.From, "&")
		fields, is := x.(map[string]any)
		switch {
		case is:
			for name, y := range nestedFields(fields) {
				out[path+"."+name] = y
			}
		case given:
			out[path] = x
		}
	}
	if qp, ok := args[v.Params[0].C].(map[string]any); ok && qp["wr_flags"] != nil {
		out["send_flags"] = qp["wr_flags"]
	}
	return out
}

// request writes one request.
func (w *writer) request(kind string, i int, fields map[string]any) string {
	pkg, wr := w.m.types.Name(), fmt.Sprintf("b.WR(%d)", i)
	opcode := map[string]string{"SendWR": "IBV_WR_SEND", "OpsWR": "IBV_WR_TAG_SYNC"}[kind]
	if n, ok := w.number(fields["opcode"]); ok {
		opcode = fmt.Sprint("opcode ", n)
		for _, name := range append(slices.Collect(maps.Values(opcodes())), "IBV_WR_BIND_MW") {
			if i, ok := w.number(name); ok && i.Cmp(n) == 0 && strings.HasPrefix(name, "IBV_WR_TAG") == (kind == "OpsWR") {
				opcode = name
			}
		}
	}
	if opcode == "IBV_WR_BIND_MW" {
		kind, typed := w.number(fields["bind_mw.mw.type"])
		if fields["bind_mw.mw"] == nil && !typed || fields["bind_mw.bind_info.mr"] == nil {
			w.why = "a window or region that is nil"
			return ""
		}
		window := fmt.Sprintf("new(%s.MW)", pkg)
		if typed {
			w.made, window = append(w.made, fmt.Sprintf("mw, _ := new(%s.PD).AllocMW(%s); ", pkg, kind)), "mw"
		}
		flags, _ := w.number(fields["bind_mw.bind_info.mw_access_flags"])
		return fmt.Sprintf("_ = %s.Bind(%s, 1, %s.MWBindAttr{MR: new(%s.MR), Access: %s})", window, wr, pkg, pkg, cmpOr(flags))
	}
	wr += w.operation(kind, opcode, fields)
	elements, _ := fields[cNames[kind].elements+"sg_list"].([]any)
	if n, ok := w.number(fields[cNames[kind].elements+"num_sge"]); ok && (n.Sign() < 0 || n.Int64() != int64(len(elements))) {
		w.why = "a number of elements that are not there"
	}
	for _, e := range elements {
		length, _ := w.number(e.(map[string]any)["length"])
		wr += fmt.Sprintf(".SGE(0, %s, 0)", cmpOr(length))
	}
	if n, ok := w.number(fields[cNames[kind].flags]); ok {
		wr += fmt.Sprintf(".Flags(%s)", n)
	}
	if n, ok := w.number(fields["qp_type.xrc.remote_srqn"]); ok {
		wr += fmt.Sprintf(".ToSRQ(%s)", n)
	}
	if qpn, ok := w.number(fields["wr.ud.remote_qpn"]); ok || fields["wr.ud.ah"] != nil {
		return fmt.Sprintf("_ = new(%s.AH).Address(%s, %s, 0)", pkg, wr, cmpOr(qpn))
	}
	return wr
}

// opcodes are the C names of the operations, by method.
func opcodes() map[string]string {
	out := map[string]string{}
	for name, op := range begins {
		if op.opcode != "" {
			out[name] = op.opcode
		}
	}
	return out
}

func cmpOr(i *big.Int) *big.Int {
	if i == nil {
		return new(big.Int)
	}
	return i
}

// operation writes the call that begins a request.
func (w *writer) operation(kind, opcode string, fields map[string]any) string {
	for name, op := range begins {
		method, ok := strings.CutPrefix(name, kind+".")
		if !ok || op.opcode != opcode {
			continue
		}
		batch := w.m.types.Scope().Lookup("New" + strings.TrimSuffix(kind, "WR") + "Batch").Type().(*types.Signature).Results().At(0).Type()
		obj, _, _ := types.LookupFieldOrMethod(batch, true, nil, "WR")
		wr := obj.Type().(*types.Signature).Results().At(0).Type()
		obj, _, _ = types.LookupFieldOrMethod(wr, true, nil, method)
		sig := obj.Type().(*types.Signature)
		var in []string
		for i := range sig.Params().Len() {
			n := new(big.Int)
			if i < len(op.args) && op.args[i] != "" {
				x, _ := w.number(fields[op.args[i]])
				n = cmpOr(x)
			}
			if _, slice := sig.Params().At(i).Type().(*types.Slice); slice {
				size, _ := w.number(fields["wr.atomic.rkey"])
				in = append(in, fmt.Sprintf("make([]byte, %s)", cmpOr(size)))
				continue
			}
			in = append(in, n.String())
		}
		return "." + method + "(" + strings.Join(in, ", ") + ")"
	}
	w.why = "no method for " + opcode
	return ""
}
