package dpath

// The flags by which the generated package has constants.
const (
	FlagFence      = flagFence
	FlagSignaled   = flagSignaled
	FlagSolicited  = flagSolicited
	FlagInline     = flagInline
	FlagIPChecksum = flagIPChecksum
)
