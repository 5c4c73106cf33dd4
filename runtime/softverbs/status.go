package softverbs

import "fmt"

// Status is the status of a work completion: a value of enum ibv_wc_status.
type Status int

// What the peer's operations end with.
const (
	StatusSuccess   Status = 0  // IBV_WC_SUCCESS
	StatusRemInvReq Status = 9  // IBV_WC_REM_INV_REQ_ERR: an atomic that the device lacks, or misaligned
	StatusRemAccess Status = 10 // IBV_WC_REM_ACCESS_ERR: no such key, not that right, or out of bounds
	StatusRemOp     Status = 11 // IBV_WC_REM_OP_ERR: the memory was unmapped while it was registered
)

// statusNames are the names of all statuses, by value.
var statusNames = [...]string{
	"IBV_WC_SUCCESS", "IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR", "IBV_WC_LOC_EEC_OP_ERR", "IBV_WC_LOC_PROT_ERR",
	"IBV_WC_WR_FLUSH_ERR", "IBV_WC_MW_BIND_ERR", "IBV_WC_BAD_RESP_ERR", "IBV_WC_LOC_ACCESS_ERR", "IBV_WC_REM_INV_REQ_ERR",
	"IBV_WC_REM_ACCESS_ERR", "IBV_WC_REM_OP_ERR", "IBV_WC_RETRY_EXC_ERR", "IBV_WC_RNR_RETRY_EXC_ERR",
	"IBV_WC_LOC_RDD_VIOL_ERR", "IBV_WC_REM_INV_RD_REQ_ERR", "IBV_WC_REM_ABORT_ERR", "IBV_WC_INV_EECN_ERR",
	"IBV_WC_INV_EEC_STATE_ERR", "IBV_WC_FATAL_ERR", "IBV_WC_RESP_TIMEOUT_ERR", "IBV_WC_GENERAL_ERR", "IBV_WC_TM_ERR",
	"IBV_WC_TM_RNDV_INCOMPLETE",
}

// String is the C name.
func (s Status) String() string {
	if s >= 0 && int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status %d", int(s))
}
