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

var statusNames = map[Status]string{
	StatusSuccess:   "IBV_WC_SUCCESS",
	StatusRemInvReq: "IBV_WC_REM_INV_REQ_ERR",
	StatusRemAccess: "IBV_WC_REM_ACCESS_ERR",
	StatusRemOp:     "IBV_WC_REM_OP_ERR",
}

// String is the C name.
func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("status %d", int(s))
}
