package dpath

// Flags of completions, enum ibv_wc_flags, that tell what ImmData is.
const (
	WithImm = 1 << 1 // IBV_WC_WITH_IMM: immediate data
	WithInv = 1 << 3 // IBV_WC_WITH_INV: the remote key that the peer had invalidated
)

// WC is struct ibv_wc, a completion, see ibv_poll_cq(3). PollCQ has C write it in place. When Status is not 0
// (IBV_WC_SUCCESS), only ID, Status, VendorErr and QPNum mean something.
type WC struct {
	ID           uint64 // wr_id of the request
	Status       uint32 // enum ibv_wc_status
	Opcode       uint32 // enum ibv_wc_opcode
	VendorErr    uint32 // vendor_err
	ByteLen      uint32 // byte_len: bytes received, or moved by a READ or an atomic
	ImmData      uint32 // imm_data as a number of this processor, or invalidated_rkey: Flags tell
	QPNum        uint32 // qp_num: the queue pair here
	SrcQP        uint32 // src_qp: the queue pair there, only on UD
	Flags        uint32 // wc_flags, enum ibv_wc_flags
	PKeyIndex    uint16 // pkey_index, only for GSI
	SLID         uint16 // slid, only on UD
	SL           uint8  // sl, only on UD
	DLIDPathBits uint8  // dlid_path_bits, only on UD
}
