//go:build linux && cgo

package rulecall

import (
	"fmt"
	"math/big"
	"slices"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
)

// maker is the verb that makes an object, with arguments over the defaults of the verb.
type maker struct {
	verb string
	args m
}

var makers = map[string]maker{
	"struct ibv_context":      {},
	"struct ibv_pd":           {"ibv_alloc_pd", nil},
	"struct ibv_cq":           {"ibv_create_cq", nil},
	"struct ibv_comp_channel": {"ibv_create_comp_channel", nil},
	"struct ibv_mr": {"ibv_reg_mr",
		m{"length": 4096, "access": "IBV_ACCESS_LOCAL_WRITE|IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ|IBV_ACCESS_MW_BIND"}},
	"struct ibv_dm":            {"ibv_alloc_dm", nil},
	"struct ibv_dmah":          {"ibv_alloc_dmah", m{"attr": m{"comp_mask": "IBV_DMAH_INIT_ATTR_MASK_PH"}}},
	"struct ibv_td":            {"ibv_alloc_td", nil},
	"struct ibv_srq":           {"ibv_create_srq", nil},
	"struct ibv_wq":            {"ibv_create_wq", nil},
	"struct ibv_rwq_ind_table": {"ibv_create_rwq_ind_table", m{"init_attr": m{"ind_tbl": "@list"}}},
	"struct ibv_ah":            {"ibv_create_ah", nil},
	"struct ibv_mw":            {"ibv_alloc_mw", nil},
	"struct ibv_counters":      {"ibv_create_counters", nil},
	"struct ibv_comp_cntr":     {"ibv_create_comp_cntr", nil},
	"struct ibv_xrcd":          {"ibv_open_xrcd", m{"xrcd_init_attr": m{"comp_mask": 3, "fd": -1, "oflags": 0o100}}},
	"struct ibv_buf":           {"ibv_alloc_buf", nil},
	"struct ibv_flow_action":   {"ibv_create_flow_action_esp", nil},
	"struct ibv_qp":            {"ibv_create_qp", nil},
}

// property is how an object is made that has one.
type property struct {
	arg  string // the value is this argument of the verb
	with m      // arguments of the verb
	verb string // another verb makes it
	then string // this verb is called behind it, with the arguments
	args m      // of then, beside the object itself
	gone bool   // then ends the object
}

var properties = map[string]property{
	"struct ibv_pd.mrs":            {then: "ibv_reg_mr"},
	"struct ibv_pd.open":           {then: "ibv_reg_mr"},
	"struct ibv_pd.parent_domains": {then: "ibv_alloc_parent_domain"},
	"struct ibv_pd.parent_domain":  {verb: "ibv_alloc_parent_domain"},
	"struct ibv_pd.unprotected": {verb: "ibv_alloc_parent_domain",
		with: m{"attr": m{"comp_mask": "IBV_PARENT_DOMAIN_INIT_ATTR_ALLOW_CC_UNPROTECTED_ALLOC"}}},
	"struct ibv_td.parent_domains": {then: "ibv_alloc_parent_domain", args: m{"attr": m{"td": "@valid"}}},
	"struct ibv_context.open":      {then: "ibv_alloc_pd"},
	"struct ibv_comp_channel.cqs":  {then: "ibv_create_cq", args: m{"channel": "@valid"}},
	"struct ibv_cq.qps":            {then: "ibv_create_qp"},
	"struct ibv_srq.qps":           {then: "ibv_create_qp", args: m{"qp_init_attr": m{"srq": "@valid"}}},
	"struct ibv_mr.pd":             {arg: "pd"},
	"struct ibv_mr.access":         {arg: "access"},
	"struct ibv_mr.null":           {verb: "ibv_alloc_null_mr"},
	"struct ibv_mr.dm":             {verb: "ibv_reg_dm_mr"},
	"struct ibv_mr.dmabuf":         {verb: "ibv_reg_dmabuf_mr"},
	"struct ibv_mr.imported":       {verb: "ibv_import_mr"},
	"struct ibv_mr.mws":            {then: "ibv_bind_mw"},
	"struct ibv_mw.type":           {arg: "type"},
	"struct ibv_mw.pd":             {arg: "pd"},
	"struct ibv_dm.length":         {arg: "attr.length"},
	"struct ibv_dm.mrs":            {then: "ibv_reg_dm_mr"},
	"struct ibv_dm.freed":          {then: "ibv_free_dm", gone: true},
	"struct ibv_dmah.mrs": {then: "ibv_reg_mr_ex",
		args: m{"mr_init_attr": m{"comp_mask": "IBV_REG_MR_MASK_ADDR|IBV_REG_MR_MASK_DMAH", "addr": buffer, "dmah": "@valid"}}},
	"struct ibv_buf.pd":            {arg: "pd"},
	"struct ibv_buf.addr":          {}, // it begins there, whichever it is
	"struct ibv_buf.length":        {arg: "size"},
	"struct ibv_buf.end":           {}, // a page behind it,
	"struct ibv_buf.dmabuf":        {}, // its domain has made it one
	"struct ibv_comp_cntr.qps":     {then: "ibv_qp_attach_comp_cntr", args: m{"attr": m{"op_mask": 1}}},
	"struct ibv_counters.flows":    {then: "ibv_create_flow", args: m{"flow": "@counted"}},
	"struct ibv_flow_action.flows": {then: "ibv_create_flow", args: m{"flow": "@acting"}},
	"struct ibv_qp.mcasts":         {then: "ibv_attach_mcast"},
	"struct ibv_srq.srq_type": {verb: "ibv_create_srq_ex", arg: "srq_init_attr_ex.srq_type",
		with: m{"srq_init_attr_ex": m{"comp_mask": "IBV_SRQ_INIT_ATTR_PD|IBV_SRQ_INIT_ATTR_TYPE|IBV_SRQ_INIT_ATTR_CQ|IBV_SRQ_INIT_ATTR_XRCD",
			"cq": "@valid", "xrcd": "@valid"}}},
}

// flowWith makes the attributes of a flow that has an object in its only spec, counters or an action.
func (u *Context) flowWith(kind string, object uintptr) uintptr {
	const attr = "struct ibv_flow_attr"
	size := u.facts.Record(attr).Size
	flow := u.zeroed(4096)
	spec := flow + uintptr(size)
	rawcall.Write(spec, u.facts.Const(kind).Uint64(), 4)
	rawcall.Write(spec+4, 16, 2)
	rawcall.Write(spec+8, uint64(object), 8)
	rawcall.Write(flow+u.offset(attr, "size"), uint64(size)+16, 2)
	rawcall.Write(flow+u.offset(attr, "num_of_specs"), 1, 1)
	rawcall.Write(flow+u.offset(attr, "port"), 1, 1)
	return flow
}

// failed makes an error of an answer.
func failed(verb string, errno syscall.Errno, err error) error {
	if err == nil && errno != 0 {
		err = errno
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", verb, err)
	}
	return err
}

// others are names that cases have for a second object of a kind.
var others = []string{"@other", "@pd2"}

// named returns the object, or the memory, that a case names.
func (u *Context) named(tag, name string) (uintptr, error) {
	switch {
	case tag == "struct ibv_wq *": // a list of them
		wq, err := u.object("struct ibv_wq", nil)
		if err != nil {
			return 0, err
		}
		const n = 1 << 14
		at := u.zeroed(8 * n)
		for i := range uintptr(n) {
			rawcall.Write(at+8*i, uint64(wq), 8)
		}
		return at, nil
	case tag == "union ibv_gid" && name == "@group":
		at := u.zeroed(16)
		rawcall.Write(at, 0x0eff, 2) // ff0e::1
		rawcall.Write(at+15, 1, 1)
		return at, nil
	case name == "@counted":
		return u.flowWith("IBV_FLOW_SPEC_ACTION_COUNT", u.objects["struct ibv_counters"]), nil
	case name == "@acting":
		return u.flowWith("IBV_FLOW_SPEC_ACTION_HANDLE", u.objects["struct ibv_flow_action"]), nil
	case name == "@keys":
		return u.Record(keys, m{"key_len": 16, "icv_len": 16})
	case !slices.Contains(others, name):
		return u.object(tag, nil)
	}
	if at := u.objects[tag+name]; at != 0 {
		return at, nil
	}
	first := u.objects[tag]
	delete(u.objects, tag)
	at, err := u.object(tag, nil)
	u.objects[tag+name], u.objects[tag] = at, first
	return at, err
}

// object returns an object, the same one for the same type unless properties are asked for; for another pointer, memory.
func (u *Context) object(tag string, want m) (uintptr, error) {
	maker, ok := makers[tag]
	if !ok {
		return u.zeroed(1 << 16), nil
	}
	if at := u.objects[tag]; at != 0 && want == nil {
		return at, nil
	}
	at, err := u.objects[tag], error(nil)
	switch {
	case tag == "struct ibv_qp":
		at, err = u.queuePair(want)
	case tag == "struct ibv_context":
		err = u.behind(tag, at, want)
	default:
		at, err = u.made(tag, maker, want)
	}
	if err != nil {
		return 0, err
	}
	u.objects[tag] = at
	return at, nil
}

// made makes an object with properties.
func (u *Context) made(tag string, by maker, want m) (uintptr, error) {
	for name, v := range want {
		p, ok := properties[tag+"."+name]
		if !ok {
			return 0, fmt.Errorf("%s makes nothing with the property %s", by.verb, name)
		}
		if p.verb != "" && some(v) {
			by = maker{p.verb, p.with}
		}
		if p.arg != "" {
			by.args = merged(by.args, undotted(m{p.arg: v}))
		}
	}
	at, errno, err := u.Call(by.verb, by.args)
	if err := failed(by.verb, errno, err); err != nil {
		return 0, err
	}
	return at, u.behind(tag, at, want)
}

// behind does what follows the making of an object with properties.
func (u *Context) behind(tag string, at uintptr, want m) error {
	u.objects[tag] = at
	for name, v := range want {
		p, ok := properties[tag+"."+name]
		switch {
		case !ok:
			return fmt.Errorf("%s has no property %s that a test can give it", tag, name)
		case !some(v):
		case p.then != "":
			args := merged(nil, p.args)
			for _, param := range u.facts.Func(p.then).Params {
				if _, given := args[param.Name]; !given && tagOf(param.Type) == tag {
					args[param.Name] = at
				}
			}
			if p.gone {
				u.gone = at
			}
			_, errno, err := u.Call(p.then, args)
			if err := failed(p.then, errno, err); err != nil {
				return err
			}
			if p.then == "ibv_bind_mw" {
				if errno, err := u.settled(); err != nil || errno != 0 {
					return failed(p.then, errno, err)
				}
			}
		}
	}
	return nil
}

// some reports whether a case gives a property: a number but 0, or a list of objects.
func some(v any) bool {
	switch n := v.(type) {
	case nil:
		return false
	case int:
		return n != 0
	case *big.Int:
		return n.Sign() != 0
	}
	return true
}
