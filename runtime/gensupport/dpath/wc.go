package dpath

import "github.com/verbsgen/verbsgen/runtime/gensupport/fail"

// WCFlag is what a completion says beside its fields, enum ibv_wc_flags. The generated package has the constants.
type WCFlag uint32

// String returns the C names without their prefix, and the value in hex: "GRH|WITH_IMM (0x3)".
func (v WCFlag) String() string { return fail.FlagText(uint64(v), wcFlagNames) }

// GRHSize is the number of bytes in front of a datagram in the memory of a UD receive, with and without IBV_WC_GRH in Flags.
// ByteLen includes them; the data begins after them.
const GRHSize = 40

// WC is struct ibv_wc, a completion, see ibv_poll_cq(3). PollSpin lets C write it in place. If Status is not 0
// (IBV_WC_SUCCESS), Err returns the reason, and only ID, Status, VendorErr and QPNum are valid.
type WC struct {
	ID           uint64 // wr_id of the request
	Status       WCStatus
	Opcode       WCOpcode
	VendorErr    uint32 // vendor_err
	ByteLen      uint32 // byte_len: bytes received, or moved by a READ or an atomic
	ImmData      uint32 // imm_data as a number of this processor, or invalidated_rkey: see Flags
	QPNum        uint32 // qp_num: the queue pair here
	SrcQP        uint32 // src_qp: the queue pair there, only on UD
	Flags        WCFlag // wc_flags
	PKeyIndex    uint16 // pkey_index, only for GSI
	SLID         uint16 // slid, only on UD
	SL           uint8  // sl, only on UD
	DLIDPathBits uint8  // dlid_path_bits, only on UD
}
