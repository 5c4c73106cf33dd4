package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// About tells who is at one side of a connection.
type About = report.Peer

// What the connecting side can ask for.
const (
	askPing     = "ping"
	askNew      = "new"
	askConnect  = "connect"
	askDo       = "do"
	askPostRecv = "post-recv"
	askWaitRecv = "wait-recv"
	askLoad     = "load"
	askStore    = "store"
	askClose    = "close"
	askBye      = "bye"
)

var asks = []string{askPing, askNew, askConnect, askDo, askPostRecv, askWaitRecv, askLoad, askStore, askClose, askBye}

// request is one thing asked of the listening side. What the operation does not need is left out.
type request struct {
	ID     uint64       `json:"id"` // one more than that of the request before
	Ask    string       `json:"ask"`
	Within int64        `json:"within_ms"`     // how long it may take
	End    uint32       `json:"end,omitempty"` // which end, by the number that its making gave
	Kind   far.Kind     `json:"kind,omitempty"`
	To     *far.Address `json:"to,omitempty"`
	Op     *far.Op      `json:"op,omitempty"`
	Offset int          `json:"offset,omitempty"`
	Length int          `json:"length,omitempty"`
	Data   []byte       `json:"data,omitempty"`
}

// answer says how a request went. With Over, the session has ended.
type answer struct {
	ID       uint64        `json:"id"`
	End      uint32        `json:"end,omitempty"`
	At       *far.Address  `json:"at,omitempty"`
	Result   *far.Result   `json:"result,omitempty"`
	Received *far.Received `json:"received,omitempty"`
	Data     []byte        `json:"data,omitempty"`
	Why      string        `json:"why,omitempty"` // why it could not be done
	Is       []string      `json:"is,omitempty"`  // names of errors that it is
	Over     bool          `json:"over,omitempty"`
}

// sentinels are the errors by which a program on the other side may go on.
var sentinels = map[string]error{"unsupported": errors.ErrUnsupported, "no-way": far.ErrNoWay, "deadline": context.DeadlineExceeded}

// check finds what a request cannot mean on any device.
func (r *request) check() error {
	switch {
	case !slices.Contains(asks, r.Ask):
		return fmt.Errorf("%q is none of %v", clean(r.Ask, maxText), asks)
	case r.Within < 0 || r.Within > time.Hour.Milliseconds():
		return fmt.Errorf("%s: within_ms is %d", r.Ask, r.Within)
	case r.Length < 0 || r.Length > far.MaxData:
		return fmt.Errorf("%s: length is %d; it may be 0 to %d", r.Ask, r.Length, far.MaxData)
	case len(r.Data) > far.MaxData:
		return fmt.Errorf("%s: %d bytes of data; at most %d go", r.Ask, len(r.Data), far.MaxData)
	case r.Offset < 0 || r.Offset > far.WindowSize:
		return fmt.Errorf("%s: offset %d is outside of the window, which has %d bytes", r.Ask, r.Offset, far.WindowSize)
	case r.Ask == askNew && !kindKnown(r.Kind):
		return fmt.Errorf("%s: no kind %q", r.Ask, clean(string(r.Kind), maxText))
	case r.Ask == askConnect && r.To == nil:
		return fmt.Errorf("%s: no address", r.Ask)
	case r.Ask == askDo && r.Op == nil:
		return fmt.Errorf("%s: no operation", r.Ask)
	case r.To != nil:
		if err := checkAddress(r.To); err != nil {
			return fmt.Errorf("%s: %w", r.Ask, err)
		}
	}
	return checkOp(r.Op)
}

func checkOp(o *far.Op) error {
	codes := []far.Code{far.Write, far.Read, far.FetchAdd, far.CompareSwap, far.Send}
	switch {
	case o == nil:
		return nil
	case !slices.Contains(codes, o.Code):
		return fmt.Errorf("operation %q is none of %v", clean(string(o.Code), maxText), codes)
	case o.Length < 0 || o.Length > far.MaxData || len(o.Data) > far.MaxData:
		return fmt.Errorf("%s of length %d with %d bytes of data; both may be 0 to %d", o.Code, o.Length, len(o.Data), far.MaxData)
	}
	return nil
}

func kindKnown(k far.Kind) bool { return k == far.RC || k == far.UC || k == far.UD }

// checkAddress finds what an address cannot be.
func checkAddress(a *far.Address) error {
	switch {
	case !kindKnown(a.Kind):
		return fmt.Errorf("no kind %q", clean(string(a.Kind), maxText))
	case a.QPN == 0 || a.QPN >= 1<<24:
		return fmt.Errorf("queue pair number %#x; it has 24 bits and is not 0", a.QPN)
	case a.PSN >= 1<<24:
		return fmt.Errorf("packet number %#x; it has 24 bits", a.PSN)
	case a.MTU < 1 || a.MTU > 5:
		return fmt.Errorf("MTU %d; enum ibv_mtu has 1 to 5", a.MTU)
	case a.Size < 0 || a.Size > far.WindowSize:
		return fmt.Errorf("a window of %d bytes; it may have 0 to %d", a.Size, far.WindowSize)
	}
	return nil
}

// maxStatus is above the last value of enum ibv_wc_status, with room for new ones.
const maxStatus = 63

// check finds what an answer to a request cannot mean.
func (a *answer) check(r *request) error {
	switch {
	case len(a.Data) > far.MaxData:
		return fmt.Errorf("%d bytes of data; at most %d go", len(a.Data), far.MaxData)
	case a.Why != "":
		return nil
	case r.Ask == askNew:
		if a.End == 0 || a.At == nil {
			return errors.New("an end without a number or an address")
		}
		if a.At.Kind != r.Kind {
			return fmt.Errorf("an end of kind %q in place of %q", clean(string(a.At.Kind), maxText), r.Kind)
		}
		return checkAddress(a.At)
	case r.Ask == askDo:
		return checkResult(r.Op, a.Result)
	case r.Ask == askWaitRecv:
		return checkReceived(a.Received)
	case r.Ask == askLoad && len(a.Data) != r.Length:
		return fmt.Errorf("%d bytes of the window in place of %d", len(a.Data), r.Length)
	}
	return nil
}

func checkResult(op *far.Op, r *far.Result) error {
	switch {
	case r == nil:
		return errors.New("no result")
	case r.Status < 0 || r.Status > maxStatus:
		return fmt.Errorf("status %d is none of enum ibv_wc_status", r.Status)
	case op.Code == far.Read && r.Status == 0 && len(r.Data) != op.Length:
		return fmt.Errorf("%d bytes were read in place of %d", len(r.Data), op.Length)
	}
	return nil
}

func checkReceived(r *far.Received) error {
	switch {
	case r == nil:
		return errors.New("nothing was received")
	case r.Status < 0 || r.Status > maxStatus:
		return fmt.Errorf("status %d is none of enum ibv_wc_status", r.Status)
	case r.Length < 0 || len(r.Data) > far.MaxData || len(r.GRH) > 40 || r.SrcQP >= 1<<24:
		return fmt.Errorf("a message of %d bytes, %d of them here, with a header of %d, from queue pair %#x", r.Length, len(r.Data),
			len(r.GRH), r.SrcQP)
	}
	return nil
}

// cleanAbout makes what a peer tells of itself fit to be shown.
func cleanAbout(a About) About {
	for _, s := range []*string{&a.Host.Name, &a.Host.OS, &a.Host.Arch, &a.Host.Kernel, &a.Library.Name, &a.Library.RDMACore,
		&a.Device.Name, &a.Device.Provider, &a.Device.Firmware} {
		*s = clean(*s, maxText)
	}
	return a
}
