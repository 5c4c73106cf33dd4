package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// suiteHeader is the header in which each side names the suite that it was built from. No later version may change it.
const suiteHeader = "Verbsgen-Suite"

// Bounds on what a peer says.
const (
	maxMessage = (far.MaxData+2)/3*4 + 8192 // of JSON: the data of one operation in base64, and the other fields
	maxText    = 160                        // of a name or version
	maxWhy     = 1000                       // of a reason
)

// About tells who is at one side of a connection.
type About = report.Peer

// What the connecting side can ask for: the paths of its requests.
const (
	askHello    = "hello" // begins the session
	askPing     = "ping"
	askNew      = "new"
	askConnect  = "connect"
	askDo       = "do"
	askPostRecv = "post-recv"
	askWaitRecv = "wait-recv"
	askLoad     = "load"
	askStore    = "store"
	askClose    = "close"
	askBye      = "bye" // ends it
)

// request is one thing asked of the listening side. It sets only what is asked for needs.
type request struct {
	About  About
	Within time.Duration // how long it may take
	End    uint32        // which end, by the number that its making gave
	Kind   far.Kind
	To     far.Address
	Op     far.Op
	Offset int
	Length int
	Data   []byte
}

// answer says what came of a request. One that failed is answered with the error's text and a status of HTTP.
type answer struct {
	About    About
	End      uint32
	At       far.Address
	Result   far.Result
	Received far.Received
	Data     []byte
}

// errBusy is for who comes while another is served.
var errBusy = errors.New("it serves")

// statuses stand for the errors by which a program on the other side may go on.
var statuses = map[int]error{http.StatusNotImplemented: errors.ErrUnsupported, http.StatusServiceUnavailable: far.ErrNoWay,
	http.StatusGatewayTimeout: context.DeadlineExceeded, http.StatusLocked: errBusy}

// statusOf is the status that stands for an error.
func statusOf(err error) int {
	for status, target := range statuses {
		if errors.Is(err, target) {
			return status
		}
	}
	return http.StatusInternalServerError
}

// check finds what an answer cannot mean.
func (a *answer) check(ask string, r *request) error {
	switch {
	case ask == askDo && r.Op.Code == far.Read && a.Result.Status == 0 && len(a.Result.Data) != r.Op.Length:
		return fmt.Errorf("%d bytes were read in place of %d", len(a.Result.Data), r.Op.Length)
	case ask == askLoad && len(a.Data) != r.Length:
		return fmt.Errorf("%d bytes of the window in place of %d", len(a.Data), r.Length)
	}
	return nil
}

// otherSuite is an error for a side that was built from another source.
func otherSuite(its, mine string) error {
	return fmt.Errorf("it has another suite, %q, and this side %q; build both programs from the same source", clean(its, maxText), mine)
}

// cleanAbout makes what a peer tells of itself fit to be shown.
func cleanAbout(a About) About {
	for _, s := range []*string{&a.Host.Name, &a.Host.OS, &a.Host.Arch, &a.Host.Kernel, &a.Library.Name, &a.Library.RDMACore,
		&a.Device.Name, &a.Device.Provider, &a.Device.Firmware} {
		*s = clean(*s, maxText)
	}
	return a
}

// clean makes a text of the peer fit to be shown: of a bounded length, on one line, nothing but what can be printed.
func clean(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit-3], "") + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// Fingerprint tells a set of cases, and the messages of this package, from others.
func Fingerprint(ids []string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%#v %#v", strings.Join(ids, "\n"), request{}, answer{}))
	return fmt.Sprintf("%d cases, %x", len(ids), sum[:4])
}
