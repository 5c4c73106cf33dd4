package dpath

import "strconv"

// WCOpcode is the operation that completed, enum ibv_wc_opcode. The generated package has the constants.
type WCOpcode uint32

// WROpcode is the operation of a send request, enum ibv_wr_opcode. The generated package has the constants.
type WROpcode uint32

// wcOpcodes are the names of the requests' completions, and from 128 on of the receives'.
var (
	wcOpcodes = [...]string{"SEND", "RDMA_WRITE", "RDMA_READ", "COMP_SWAP", "FETCH_ADD", "BIND_MW", "LOCAL_INV", "TSO", "FLUSH",
		"ATOMIC_WRITE"}
	recvOpcodes = [...]string{"RECV", "RECV_RDMA_WITH_IMM", "TM_ADD", "TM_DEL", "TM_SYNC", "TM_RECV", "TM_NO_TAG", "DRIVER1",
		"DRIVER2", "DRIVER3"}
	wrOpcodes = [...]string{"RDMA_WRITE", "RDMA_WRITE_WITH_IMM", "SEND", "SEND_WITH_IMM", "RDMA_READ", "ATOMIC_CMP_AND_SWP",
		"ATOMIC_FETCH_AND_ADD",
		"LOCAL_INV", "BIND_MW", "SEND_WITH_INV", "TSO", "DRIVER1", 14: "FLUSH", 15: "ATOMIC_WRITE"}
)

const firstRecv = 128 // IBV_WC_RECV

// String returns the C name without its prefix, or the number if it has no name.
func (v WCOpcode) String() string {
	if v >= firstRecv {
		return nameOf("WCOpcode", recvOpcodes[:], uint32(v), uint32(v-firstRecv))
	}
	return nameOf("WCOpcode", wcOpcodes[:], uint32(v), uint32(v))
}

// String returns the C name without its prefix, or the number if it has no name.
func (v WROpcode) String() string { return nameOf("WROpcode", wrOpcodes[:], uint32(v), uint32(v)) }

// nameOf returns names[i], or the number v as one of a type.
func nameOf(typ string, names []string, v, i uint32) string {
	if i < uint32(len(names)) && names[i] != "" {
		return names[i]
	}
	return typ + "(" + strconv.FormatUint(uint64(v), 10) + ")"
}
