package dpath

import "github.com/verbsgen/verbsgen/runtime/validate"

// SendFlags are flags of a send request, enum ibv_send_flags.
type SendFlags uint32

const (
	Fence      SendFlags = 1 << 0 // IBV_SEND_FENCE: waits for RDMA READs and atomics posted before
	Signaled   SendFlags = 1 << 1 // IBV_SEND_SIGNALED: gives a completion also when it succeeds
	Solicited  SendFlags = 1 << 2 // IBV_SEND_SOLICITED: the receiver's completion counts as solicited
	Inline     SendFlags = 1 << 3 // IBV_SEND_INLINE: data is taken while posting; lkeys are not looked at
	IPChecksum SendFlags = 1 << 4 // IBV_SEND_IP_CSUM: checksums of IP, UDP and TCP are computed by the device
)

// sendFlags are the names for messages.
var sendFlags = []validate.Flag{
	{Bits: uint64(Fence), Name: "FENCE"},
	{Bits: uint64(Signaled), Name: "SIGNALED"},
	{Bits: uint64(Solicited), Name: "SOLICITED"},
	{Bits: uint64(Inline), Name: "INLINE"},
	{Bits: uint64(IPChecksum), Name: "IP_CSUM"},
}

// String gives the C names without their prefix, and the value in hex: "SIGNALED|INLINE (0xa)".
func (v SendFlags) String() string { return validate.FlagText(uint64(v), sendFlags) }
