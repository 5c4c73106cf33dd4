//go:build linux && cgo

package dpath

// The layout of requests that bind windows against C, at compile time, as in layout_cgo.go.

import "unsafe"

var (
	aBind   bind
	anInfo  bindInfo
	aMWBind mwBind
)

var (
	_ = none{}[uintptr(opBindMW)+1-unsafe.Sizeof(inC.wr_bind_mw)]
	_ = none{}[unsafe.Offsetof(aBind.mw)+1-unsafe.Sizeof(inC.bind_mw)]
	_ = none{}[unsafe.Offsetof(aBind.rkey)+1-unsafe.Sizeof(inC.bind_rkey)]
	_ = none{}[unsafe.Offsetof(aBind.mark)+1-unsafe.Sizeof(inC.bind_rkey_end)] // padding: behind the key,
	_ = none{}[unsafe.Offsetof(aBind.mark)+5-unsafe.Sizeof(inC.bind_info)]     // and before the next
	_ = none{}[unsafe.Offsetof(aBind.info)+1-unsafe.Sizeof(inC.bind_info)]
	_ = none{}[unsafe.Offsetof(aBind.srqn)+1-unsafe.Sizeof(inC.bind_srqn)]
	_ = none{}[unsafe.Offsetof(aBind.regionHigh)+1-unsafe.Sizeof(inC.bind_srqn_end)] // padding: behind the union,
	_ = none{}[unsafe.Offsetof(aBind.regionHigh)+5-unsafe.Sizeof(inC.bind_mw)]       // and before the next
	_ = none{}[unsafe.Offsetof(aBind.srqn)+1-unsafe.Sizeof(inC.bind_wr_end)]
	_ = none{}[unsafe.Offsetof(aBind.inline)-(unsafe.Offsetof(sendWR.inline)-unsafe.Offsetof(sendWR.Remote))]
	_ = none{}[unsafe.Offsetof(anInfo.mr)+1-unsafe.Sizeof(inC.info_mr)]
	_ = none{}[unsafe.Offsetof(anInfo.addr)+1-unsafe.Sizeof(inC.info_addr)]
	_ = none{}[unsafe.Offsetof(anInfo.length)+1-unsafe.Sizeof(inC.info_length)]
	_ = none{}[unsafe.Offsetof(anInfo.access)+1-unsafe.Sizeof(inC.info_access)]
	_ = none{}[unsafe.Offsetof(aMWBind.id)+1-unsafe.Sizeof(inC.mw_bind_id)]
	_ = none{}[unsafe.Offsetof(aMWBind.flags)+1-unsafe.Sizeof(inC.mw_bind_flags)]
	_ = none{}[unsafe.Offsetof(aMWBind.info)+1-unsafe.Sizeof(inC.mw_bind_info)]
)
