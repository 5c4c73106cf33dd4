package dpath

import "unsafe"

// The flags by which the generated package has constants.
const (
	FlagFence      = flagFence
	FlagSignaled   = flagSignaled
	FlagSolicited  = flagSolicited
	FlagInline     = flagInline
	FlagIPChecksum = flagIPChecksum
)

// At returns where the request lies.
func (w SendWR) At() unsafe.Pointer { return unsafe.Pointer(w.sendRecord) }

// SendSize is the size of a send request.
const SendSize = unsafe.Sizeof(sendRecord{})
