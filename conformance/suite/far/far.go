package far

import (
	"context"
	"errors"
)

// Kind is the transport of a queue pair.
type Kind string

// The kinds of ends.
const (
	RC Kind = "RC"
	UC Kind = "UC"
	UD Kind = "UD"
)

// Address is what an end has to know of the one that it talks to.
type Address struct {
	Kind Kind
	QPN  uint32
	PSN  uint32   // of the first packet that it sends
	QKey uint32   // of UD
	GID  [16]byte // zero where the port is reached by its LID
	LID  uint16
	MTU  uint32 // enum ibv_mtu: active_mtu of the port

	// The window: WindowSize bytes of the end that the other one may write, read and change, but not on UD.
	Base uint64 // remote address of its first byte
	RKey uint32
}

// Limits of every end, in bytes.
const (
	WindowSize = 64 << 10
	MaxData    = 64 << 10 // of one operation
)

// Code says what an operation is.
type Code string

// The operations.
const (
	Write       Code = "write"
	Read        Code = "read"
	FetchAdd    Code = "fetch-add"
	CompareSwap Code = "compare-swap"
	Send        Code = "send"
)

// Op is an operation that an end is told to do.
type Op struct {
	Code      Code
	RKey      uint32 // all but Send: the remote memory
	Addr      uint64
	Data      []byte // Write, Send
	Length    int    // Read: bytes
	Compare   uint64 // CompareSwap
	Value     uint64 // FetchAdd: what is added; CompareSwap: what is put there
	WithImm   bool
	Imm       uint32 // Write, Send: immediate data
	Solicited bool
}

// Result is what came of an operation.
type Result struct {
	Status int    // enum ibv_wc_status
	Data   []byte // Read
	Old    uint64 // FetchAdd, CompareSwap: what was there before
}

// Received is a receive that completed.
type Received struct {
	Status  int // enum ibv_wc_status
	Data    []byte
	GRH     []byte // UD: the 40 bytes before the data
	WithImm bool
	Imm     uint32
	Length  int // byte_len, of a WRITE with immediate data too
	SrcQP   uint32
}

// End is one queue pair at the far side. A call ends with an error when its context does. Statuses are those of completions;
// an error means that the operation could not be tried, or did not complete. After a status other than success, or an error,
// the end is good for nothing but Close. It is used by one goroutine at a time.
type End interface {
	// Address tells where the end is. It is known from the beginning.
	Address() Address
	// Connect brings the end to the state in which it sends, towards another one of its kind. It is done once.
	Connect(ctx context.Context, to Address) error
	// Do does one operation and waits for its completion.
	Do(ctx context.Context, op Op) (Result, error)
	// PostRecv gives the end room for one message of up to size bytes.
	PostRecv(ctx context.Context, size int) error
	// WaitRecv waits for the receive that completes next.
	WaitRecv(ctx context.Context) (Received, error)
	// Load and Store reach into the window from the far side.
	Load(ctx context.Context, offset, length int) ([]byte, error)
	Store(ctx context.Context, offset int, data []byte) error
	Close() error
}

// Maker makes ends. Close closes those that are left.
type Maker interface {
	NewEnd(ctx context.Context, kind Kind) (End, error)
	Close() error
}

// Reacher is a Maker elsewhere, which may come to be out of reach. Reach tries to have it back.
type Reacher interface {
	Maker
	Reach(ctx context.Context) error
}

// ErrNoWay is in the error for a port over which no connection can be made: it is down, or nobody can reach it.
var ErrNoWay = errors.New("no connection can be made")
