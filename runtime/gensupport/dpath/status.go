package dpath

import "fmt"

// WCStatus is the result of a request, enum ibv_wc_status; 0 is success. The generated package has the constants.
type WCStatus uint32

// String returns the C name without its prefix, or the number if it has no name.
func (s WCStatus) String() string {
	return nameOf("WCStatus", wcStatusNames, uint32(s))
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
	if s := e.Status; s < WCStatus(len(wcStatusLikely)) && wcStatusLikely[s] != "" {
		text += "; most likely " + wcStatusLikely[s]
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
