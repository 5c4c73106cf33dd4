package conn

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
)

// Error says what failed, and with which peer or listener.
type Error struct {
	// What was tried, such as "connect to".
	Op string
	// The address of the peer, or of the listener.
	Addr netip.AddrPort
	// The event that reported it, if Err is nil.
	Event rdmacm.EventType
	// Why, if an event reported it.
	Status Status
	// Bytes of a peer that rejected the request; there may be zeros behind those that it sent.
	Private []byte
	// The error of a call, of the context, of Options.QP or of Options.Prepare; nil if an event reported it.
	Err error
	// Likely causes, if the peer was not reached, from what this machine knows of the way to it.
	Hints []string
}

// Error names what failed, the address, the reason and likely causes.
func (e *Error) Error() string {
	text := fmt.Sprintf("conn: %s %v: ", e.Op, e.Addr)
	switch {
	case e.Err != nil:
		text += e.Err.Error()
	case e.Status == 0:
		text += e.Event.String()
	default:
		text += e.Event.String() + ": " + e.Status.String()
	}
	if len(e.Hints) > 0 {
		text += "; may be: " + strings.Join(e.Hints, "; or ")
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the errno of the status. A rejection is ECONNREFUSED, the end of a connection ECONNRESET, and the removal
// of a device ENODEV.
func (e *Error) Is(target error) bool {
	errno, ok := target.(syscall.Errno)
	return ok && errno != 0 && errno == e.errno()
}

// errno is the errno of an event, 0 if there is none.
func (e *Error) errno() syscall.Errno {
	switch {
	case e.Err != nil:
		return 0
	case e.Status < 0:
		return syscall.Errno(-e.Status)
	case e.Event == rdmacm.EventTypeRejected:
		return syscall.ECONNREFUSED
	case e.Event == rdmacm.EventTypeDisconnected:
		return syscall.ECONNRESET
	case e.Event == rdmacm.EventTypeDeviceRemoval:
		return syscall.ENODEV
	}
	return 0
}

// Status is why something failed: a negative errno, or the reason of a rejection as InfiniBand numbers them.
type Status int

// Reasons of rejections that programs meet.
const (
	// Nobody listens at the port.
	StatusInvalidService Status = 8
	// The peer thinks that the connection exists already, as after a restart.
	StatusStale Status = 10
	// The program of the peer rejected the request; Error.Private has what it says.
	StatusConsumer Status = 28
)

// reasons are those of rejections.
var reasons = map[Status]string{
	1:                    "no queue pair available",
	2:                    "no end-to-end context available",
	3:                    "no resources",
	4:                    "timeout",
	5:                    "unsupported request",
	6:                    "invalid communication ID",
	7:                    "invalid communication instance",
	StatusInvalidService: "invalid service ID: nobody listens at the port",
	9:                    "invalid transport",
	StatusStale:          "stale connection",
	11:                   "no such reliable datagram channel",
	12:                   "invalid GID of the port",
	13:                   "invalid LID of the port",
	14:                   "invalid service level",
	15:                   "invalid traffic class",
	16:                   "invalid hop limit",
	17:                   "invalid packet rate",
	18:                   "invalid GID of the alternate port",
	19:                   "invalid LID of the alternate port",
	20:                   "invalid alternate service level",
	21:                   "invalid alternate traffic class",
	22:                   "invalid alternate hop limit",
	23:                   "invalid alternate packet rate",
	24:                   "another port has the connection manager",
	25:                   "another port is to be used",
	26:                   "invalid MTU of the path",
	27:                   "too few responder resources",
	StatusConsumer:       "consumer defined: the program of the peer rejected it",
	29:                   "RNR retry count rejected",
	30:                   "communication ID in use",
	31:                   "invalid class version",
	32:                   "invalid flow label",
	33:                   "invalid alternate flow label",
}

// String returns the text of the errno, or the reason with its number.
func (s Status) String() string {
	switch text := reasons[s]; {
	case s == 0:
		return "success"
	case s < 0:
		return syscall.Errno(-s).Error()
	case text == "":
		return "status " + strconv.Itoa(int(s))
	default:
		return fmt.Sprintf("%s (%d)", text, int(s))
	}
}
