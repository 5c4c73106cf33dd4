package dpath

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// SendFlags are flags of a send request, enum ibv_send_flags. The generated package has the constants.
type SendFlags uint32

const (
	flagFence      SendFlags = 1 << 0 // IBV_SEND_FENCE
	flagSignaled   SendFlags = 1 << 1 // IBV_SEND_SIGNALED
	flagSolicited  SendFlags = 1 << 2 // IBV_SEND_SOLICITED
	flagInline     SendFlags = 1 << 3 // IBV_SEND_INLINE
	flagIPChecksum SendFlags = 1 << 4 // IBV_SEND_IP_CSUM
)

// String returns the C names without their prefix, and the value in hex: "SIGNALED|INLINE (0xa)".
func (v SendFlags) String() string { return fail.FlagText(uint64(v), sendFlagsNames) }
