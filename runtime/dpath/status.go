package dpath

import "fmt"

// WCStatus is the result of a request, enum ibv_wc_status; 0 is success. The generated package has the constants.
type WCStatus uint32

// statuses are the names of all statuses, and what each most often means.
var statuses = [...]struct{ name, means string }{
	{"SUCCESS", ""},
	{"LOC_LEN_ERR", "a length does not fit here: the message is longer than the memory of the receive, than the port takes (max_msg_sz) or, " +
		"on UD, than a packet with its 40 bytes of GRH"},
	{"LOC_QP_OP_ERR",
		"an lkey that is wrong, of a closed region or of another protection domain; or the queue pair cannot do what the request asks " +
			"(its operation, its number of SGEs), the receive was too short for the message, or with soft-RoCE the port went down"},
	{"LOC_EEC_OP_ERR", "the end-to-end context of a reliable datagram cannot do what the request asks"},
	{"LOC_PROT_ERR",
		"an lkey that is wrong, of a closed region or of another protection domain, an SGE that leaves its region, or a region without " +
			"LOCAL_WRITE for what is received into it"},
	{"WR_FLUSH_ERR", "the queue pair is in ERR and did not carry this request out: an earlier completion with another status says why, or " +
		"somebody moved it there, or its port went down; soft-RoCE of Linux 6.12 and later has this status too for an SGE with a wrong " +
		"lkey, of another protection domain, or outside of its region"},
	{"MW_BIND_ERR", "the memory window could not be bound: its region lacks MW_BIND, or the range or the rights do not fit"},
	{"BAD_RESP_ERR", "the peer's answer was not one to this request"},
	{"LOC_ACCESS_ERR", "a peer's WRITE with immediate data reached for memory here that it may not write"},
	{"REM_INV_REQ_ERR",
		"the peer found the request invalid: its queue pair does not allow the operation (AccessFlags), the message is longer " +
			"than its receive, or an atomic is not aligned"},
	{"REM_ACCESS_ERR",
		"the rkey is wrong, of a closed region, or of another protection domain than the peer's queue pair, the range leaves the peer's " +
			"region, or the region lacks the right (REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)"},
	{"REM_OP_ERR", "the peer could not finish the request; its own completion or event tells why"},
	{"RETRY_EXC_ERR",
		"the peer did not answer, RetryCnt times after Timeout: it is gone, a port is down, its queue pair is not in RTR or RTS, or the " +
			"way to it is wrong (GID, number of the queue pair, first packet number, MTU)"},
	{"RNR_RETRY_EXC_ERR",
		"the peer had no receive posted, as often as RNRRetry allows; have it post receives earlier, or set RNRRetry to 7, which has no limit"},
	{"LOC_RDD_VIOL_ERR", "the reliable datagram domains of the queue pair and its end-to-end context differ"},
	{"REM_INV_RD_REQ_ERR", "the peer found a reliable datagram invalid"},
	{"REM_ABORT_ERR", "the peer gave the operation up"},
	{"INV_EECN_ERR", "there is no end-to-end context with that number"},
	{"INV_EEC_STATE_ERR", "the end-to-end context is in the wrong state for the request"},
	{"FATAL_ERR", "the device broke; an asynchronous event tells more"},
	{"RESP_TIMEOUT_ERR", "the peer's answer came too late"},
	{"GENERAL_ERR", "an error that has no status of its own; the vendor's code may tell more"},
	{"TM_ERR", "tag matching failed; the list of tags and the device's no longer agree"},
	{"TM_RNDV_INCOMPLETE", "a message announced by rendezvous is longer than the receive that its tag matched; fetch it by an RDMA READ"},
}

// String returns the C name without its prefix, or the number if it has no name.
func (s WCStatus) String() string {
	if s < WCStatus(len(statuses)) {
		return statuses[s].name
	}
	return nameOf("WCStatus", nil, uint32(s), uint32(s))
}

// WCError is the error of a request that failed.
type WCError struct {
	ID        uint64 // wr_id of the request
	QPNum     uint32 // of the queue pair here; 0 if a reader did not ask for it
	Status    WCStatus
	VendorErr uint32 // the device's own code, 0 for none
}

// Error names the request and the status, and says what the status usually means.
func (e *WCError) Error() string {
	if e == nil {
		return "<nil>"
	}
	of := fmt.Sprintf(" of queue pair 0x%x", e.QPNum)
	if e.QPNum == 0 {
		of = ", whose queue pair is not known since the reader does not read QPNum,"
	}
	text := fmt.Sprintf("request %d%s completed with %v", e.ID, of, e.Status)
	if e.VendorErr != 0 {
		text += fmt.Sprintf(", vendor error 0x%x", e.VendorErr)
	}
	if s := e.Status; s < WCStatus(len(statuses)) && statuses[s].means != "" {
		text += "; most likely " + statuses[s].means
	}
	return text
}

// Err returns nil for a request that succeeded, and otherwise a *WCError.
func (wc WC) Err() error {
	if wc.Status == 0 {
		return nil
	}
	return &WCError{wc.ID, wc.QPNum, wc.Status, wc.VendorErr}
}
