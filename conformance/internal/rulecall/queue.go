//go:build linux && cgo

package rulecall

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// step is a change of state.
type step struct {
	attr m
	mask string
}

var (
	initialized = step{m{"qp_state": "IBV_QPS_INIT", "port_num": 1, "qp_access_flags": remote},
		"IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_ACCESS_FLAGS"}
	receiving = m{"qp_state": "IBV_QPS_RTR", "path_mtu": "IBV_MTU_1024", "max_dest_rd_atomic": 1, "min_rnr_timer": 1,
		"ah_attr": m{"port_num": 1}}
	sending = m{"qp_state": "IBV_QPS_RTS", "max_rd_atomic": 1, "retry_cnt": 2, "rnr_retry": 1, "timeout": 12}
	drained = step{m{"qp_state": "IBV_QPS_SQD"}, "IBV_QP_STATE"}
	toRTR   = "IBV_QP_STATE|IBV_QP_AV|IBV_QP_PATH_MTU|IBV_QP_DEST_QPN|IBV_QP_RQ_PSN"
	toRTS   = "IBV_QP_STATE|IBV_QP_SQ_PSN|IBV_QP_MAX_QP_RD_ATOMIC|IBV_QP_RETRY_CNT|IBV_QP_RNR_RETRY|IBV_QP_TIMEOUT"
)

// remote is what the other end may do.
const remote = "IBV_ACCESS_REMOTE_WRITE|IBV_ACCESS_REMOTE_READ|IBV_ACCESS_REMOTE_ATOMIC"

// ways lead from RESET to a state, by the type of the queue pair.
var ways = map[string][]step{
	"RC": {initialized, {receiving, toRTR + "|IBV_QP_MAX_DEST_RD_ATOMIC|IBV_QP_MIN_RNR_TIMER"}, {sending, toRTS}, drained},
	"UC": {initialized, {receiving, toRTR}, {m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE|IBV_QP_SQ_PSN"}, drained},
	"UD": {
		{m{"qp_state": "IBV_QPS_INIT", "port_num": 1}, "IBV_QP_STATE|IBV_QP_PKEY_INDEX|IBV_QP_PORT|IBV_QP_QKEY"},
		{m{"qp_state": "IBV_QPS_RTR"}, "IBV_QP_STATE"},
		{m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE|IBV_QP_SQ_PSN"}, drained,
	},
	"XRC_SEND": {initialized, {receiving, toRTR}, {sending, toRTS}},
	"RAW_PACKET": {
		{m{"qp_state": "IBV_QPS_INIT", "port_num": 1}, "IBV_QP_STATE|IBV_QP_PORT"},
		{m{"qp_state": "IBV_QPS_RTR"}, "IBV_QP_STATE"},
		{m{"qp_state": "IBV_QPS_RTS"}, "IBV_QP_STATE"},
	},
}

// QueuePair makes a queue pair of a type, connected to itself, and brings it to a state. Both are named as in C.
func (u *Context) QueuePair(kind, state string) (uintptr, error) {
	return u.queuePair(m{"qp_type": kind, "state": state})
}

// Object returns the object of a type that calls have where a case names none.
func (u *Context) Object(tag string) (uintptr, error) { return u.object(tag, nil) }

// queuePair makes a queue pair of a type, brings it to a state, and has it what follows the making.
func (u *Context) queuePair(want m) (uintptr, error) {
	kind, state, rest := "IBV_QPT_RC", "IBV_QPS_RESET", m{}
	if want["mcasts"] != nil {
		kind = "IBV_QPT_UD"
	}
	for property, v := range want {
		switch property {
		case "qp_type":
			kind, _ = v.(string)
		case "state":
			state, _ = v.(string)
		default:
			rest[property] = v
		}
	}
	if kind != "IBV_QPT_UD" { // there is no way into a group
		delete(rest, "mcasts")
	}
	verb, args := "ibv_create_qp", m{"qp_init_attr": m{"qp_type": kind}}
	switch kind {
	case "IBV_QPT_XRC_SEND":
		verb, args = "ibv_create_qp_ex", m{"qp_init_attr_ex": m{"qp_type": kind, "comp_mask": "IBV_QP_INIT_ATTR_PD",
			"cap": m{"max_recv_wr": 0, "max_recv_sge": 0}}}
	case "IBV_QPT_XRC_RECV":
		verb, args = "ibv_create_qp_ex", m{"qp_init_attr_ex": m{"qp_type": kind, "comp_mask": "IBV_QP_INIT_ATTR_XRCD", "xrcd": "@valid"}}
	}
	at, errno, err := u.Call(verb, args)
	if err := failed(verb, errno, err); err != nil {
		return 0, err
	}
	if err := u.bring(at, kind, state); err != nil {
		return 0, err
	}
	return at, u.behind("struct ibv_qp", at, rest)
}

// bring brings a new queue pair to a state.
func (u *Context) bring(at uintptr, kind, state string) error {
	if state == "IBV_QPS_RESET" {
		return nil
	}
	for _, s := range ways[strings.TrimPrefix(kind, "IBV_QPT_")] {
		attr := s.attr
		if strings.Contains(s.mask, "IBV_QP_DEST_QPN") { // its other end is itself
			attr = merged(attr, m{"dest_qp_num": u.read(at, "struct ibv_qp", "qp_num")})
		}
		_, errno, err := u.Call("ibv_modify_qp", m{"qp": at, "attr": attr, "attr_mask": s.mask})
		if err := failed("ibv_modify_qp", errno, err); err != nil {
			return fmt.Errorf("%v: %w", s.attr["qp_state"], err)
		}
		if s.attr["qp_state"] == state {
			return nil
		}
		if s.attr["qp_state"] == "IBV_QPS_INIT" && kind != "IBV_QPT_XRC_SEND" { // for what it sends to itself
			if _, errno, err := u.Call("ibv_post_recv", m{"qp": at, "wr": []any{m{"sg_list": []any{m{}}, "num_sge": 1}}}); err != nil || errno != 0 {
				return failed("ibv_post_recv", errno, err)
			}
		}
	}
	return fmt.Errorf("no way of a %s to %s", kind, state)
}

// setsSRQ names the shared receive queue of a request; it builds none.
const setsSRQ = "ibv_wr_set_xrc_srqn"

// build has an extended queue pair build and post one request: by a verb that builds it, or by one that completes a SEND. What the
// queue pair cannot build is refused when it is made, or it has no function for it: ENOSYS stands for that.
func (u *Context) build(fn *api.Function, v *spec.Verb, args m) (uintptr, syscall.Errno, error) {
	kind, _ := mapping(mapping(args["qp"])["qp_base"])["qp_type"].(string)
	flag, send := "IBV_QP_EX_WITH_SEND", "ibv_wr_send"
	if v.Builds != nil {
		flag, send = v.Builds.Flag, fn.Name
	}
	init := m{"qp_type": kind, "comp_mask": "IBV_QP_INIT_ATTR_PD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS", "send_ops_flags": flag}
	if kind == "IBV_QPT_XRC_RECV" {
		init = merged(init, m{"comp_mask": "IBV_QP_INIT_ATTR_XRCD|IBV_QP_INIT_ATTR_SEND_OPS_FLAGS", "xrcd": "@valid"})
	}
	if flag == "IBV_QP_EX_WITH_SEND_TSO" {
		init = merged(init, m{"comp_mask": init["comp_mask"].(string) + "|IBV_QP_INIT_ATTR_MAX_TSO_HEADER", "max_tso_header": 64})
	}
	qp, errno, err := u.Call("ibv_create_qp_ex", m{"qp_init_attr_ex": init})
	if err != nil || errno != 0 {
		return 0, errno, err
	}
	if err := u.bring(qp, kind, "IBV_QPS_RTS"); err != nil {
		return 0, 0, err
	}
	ex, _, err := rawcall.Call(u.lib.Symbol("ibv_qp_to_qp_ex", ""), qp)
	if err != nil || ex == 0 {
		return 0, 0, fmt.Errorf("no extended queue pair: %v", err)
	}
	var missing error
	lacks := false
	call := func(name string, list ...uintptr) syscall.Errno {
		at := rawcall.Pointer(ex + u.offset("struct ibv_qp_ex", strings.TrimPrefix(name, "ibv_")))
		if at == 0 { // the header would jump there
			lacks = true
			return 0
		}
		r, _, err := rawcall.Call(at, append([]uintptr{ex}, list...)...)
		if err != nil {
			missing = err
		}
		return syscall.Errno(max(0, int32(r)))
	}
	var list []uintptr
	mr, err := u.object("struct ibv_mr", nil)
	if err != nil {
		return 0, 0, err
	}
	addr := uintptr(u.read(mr, "struct ibv_mr", "addr"))
	values := map[string]uintptr{"rkey": uintptr(u.read(mr, "struct ibv_mr", "rkey")), "remote_addr": addr}
	for _, p := range u.facts.Func(send).Params[1:] {
		n, given := values[p.Name]
		if !given {
			if n, err = u.argument(p.Type, "@valid"); err != nil {
				return 0, 0, err
			}
		}
		list = append(list, n)
	}
	call("ibv_wr_start")
	rawcall.Write(ex+u.offset("struct ibv_qp_ex", "wr_flags"), u.facts.Const("IBV_SEND_SIGNALED").Uint64(), 4)
	call(send, list...)
	if v.Builds == nil {
		call(setsSRQ, 1)
	}
	if kind == "IBV_QPT_UD" {
		ah, err := u.object("struct ibv_ah", nil)
		if err != nil {
			return 0, 0, err
		}
		call("ibv_wr_set_ud_addr", ah, 1, 0)
	}
	if v.Builds == nil || v.Builds.Data {
		call("ibv_wr_set_sge", uintptr(u.read(mr, "struct ibv_mr", "lkey")), addr, 8)
	}
	u.posted, u.pending = qp, 1
	if errno = call("ibv_wr_complete"); lacks {
		errno = syscall.ENOSYS
	}
	return 0, errno, missing
}

// settled waits for the completions of the requests that were posted. One without success is a refusal: EIO, with its status kept.
func (u *Context) settled() (syscall.Errno, error) {
	const wc = "struct ibv_wc"
	if u.posted == 0 {
		return 0, nil
	}
	at, cq := u.zeroed(4096), uintptr(u.read(u.posted, "struct ibv_qp", "send_cq"))
	poll := rawcall.Pointer(u.ctx + u.offset("struct ibv_context", "ops") + u.offset("struct ibv_context_ops", "poll_cq"))
	for end := time.Now().Add(20 * time.Second); u.pending > 0; {
		n, _, err := rawcall.Call(poll, cq, 1, at)
		switch {
		case err != nil || int32(n) < 0:
			return 0, fmt.Errorf("polling: %v, %d", err, int32(n))
		case n == 0 && time.Now().After(end):
			return 0, errors.New("no completion")
		case n == 0:
			time.Sleep(time.Millisecond)
		default:
			if u.status = u.read(at, wc, "status"); u.status != 0 {
				return syscall.EIO, nil
			}
			u.pending--
		}
	}
	return 0, nil
}
