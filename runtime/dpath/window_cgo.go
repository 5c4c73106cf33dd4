//go:build linux && cgo

package dpath

// The layout of requests that bind windows against C, at compile time, as in layout_cgo.go.

/*
#include <stddef.h>
#include "verbs_abi.h"

enum {
	dp_bind_mw = offsetof(struct ibv_send_wr, bind_mw.mw) - offsetof(struct ibv_send_wr, wr),
	dp_bind_rkey = offsetof(struct ibv_send_wr, bind_mw.rkey) - offsetof(struct ibv_send_wr, wr),
	dp_bind_rkey_end = offsetof(struct ibv_send_wr, bind_mw.rkey) + sizeof(uint32_t) - offsetof(struct ibv_send_wr, wr),
	dp_bind_info = offsetof(struct ibv_send_wr, bind_mw.bind_info) - offsetof(struct ibv_send_wr, wr),
	dp_bind_srqn = offsetof(struct ibv_send_wr, qp_type.xrc.remote_srqn) - offsetof(struct ibv_send_wr, wr),
	dp_bind_srqn_end = offsetof(struct ibv_send_wr, qp_type) + sizeof(((struct ibv_send_wr *)0)->qp_type) - offsetof(struct ibv_send_wr, wr),
	dp_bind_wr_end = sizeof(((struct ibv_send_wr *)0)->wr),

	dp_info_mr = offsetof(struct ibv_mw_bind_info, mr),
	dp_info_addr = offsetof(struct ibv_mw_bind_info, addr),
	dp_info_length = offsetof(struct ibv_mw_bind_info, length),
	dp_info_access = offsetof(struct ibv_mw_bind_info, mw_access_flags),

	dp_mw_bind_id = offsetof(struct ibv_mw_bind, wr_id),
	dp_mw_bind_flags = offsetof(struct ibv_mw_bind, send_flags),
	dp_mw_bind_info = offsetof(struct ibv_mw_bind, bind_info),
};
*/
import "C"

import "unsafe"

var (
	aBind   bind
	anInfo  bindInfo
	aMWBind mwBind
)

var (
	_ = none{}[opBindMW-C.IBV_WR_BIND_MW]
	_ = none{}[unsafe.Offsetof(aBind.mw)-C.dp_bind_mw]
	_ = none{}[unsafe.Offsetof(aBind.rkey)-C.dp_bind_rkey]
	_ = none{}[unsafe.Offsetof(aBind.mark)-C.dp_bind_rkey_end] // padding: behind the key,
	_ = none{}[unsafe.Offsetof(aBind.mark)+4-C.dp_bind_info]   // and before the next
	_ = none{}[unsafe.Offsetof(aBind.info)-C.dp_bind_info]
	_ = none{}[unsafe.Offsetof(aBind.srqn)-C.dp_bind_srqn]
	_ = none{}[unsafe.Offsetof(aBind.regionHigh)-C.dp_bind_srqn_end] // padding: behind the union,
	_ = none{}[unsafe.Offsetof(aBind.regionHigh)+4-C.dp_bind_mw]     // and before the next
	_ = none{}[unsafe.Offsetof(aBind.srqn)-C.dp_bind_wr_end]
	_ = none{}[unsafe.Offsetof(aBind.inline)-(unsafe.Offsetof(sendWR.inline)-unsafe.Offsetof(sendWR.remote))]
	_ = none{}[unsafe.Offsetof(anInfo.mr)-C.dp_info_mr]
	_ = none{}[unsafe.Offsetof(anInfo.addr)-C.dp_info_addr]
	_ = none{}[unsafe.Offsetof(anInfo.length)-C.dp_info_length]
	_ = none{}[unsafe.Offsetof(anInfo.access)-C.dp_info_access]
	_ = none{}[unsafe.Offsetof(aMWBind.id)-C.dp_mw_bind_id]
	_ = none{}[unsafe.Offsetof(aMWBind.flags)-C.dp_mw_bind_flags]
	_ = none{}[unsafe.Offsetof(aMWBind.info)-C.dp_mw_bind_info]
)
