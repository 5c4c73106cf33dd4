package remote

import (
	"bytes"
	"encoding/json"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite/far"
)

// canned is a connection from which bytes are read that were there before.
type canned struct {
	net.Conn
	*bytes.Reader
}

func (c canned) Read(b []byte) (int, error)      { return c.Reader.Read(b) }
func (c canned) SetReadDeadline(time.Time) error { return nil }

// FuzzMessage reads bytes of a peer as each message there is. What is taken is within its bounds and the same when it has
// gone once more.
func FuzzMessage(f *testing.F) {
	for _, v := range []any{
		&hello{Suite: "a suite", About: someone("x"), Nonce: nonce(), Secret: true},
		&proof{Proof: []byte("proof")},
		&verdict{Proof: []byte("proof"), Refused: "why", Never: true},
		&request{ID: 1, Ask: askNew, Kind: far.UD, Within: 1000},
		&request{ID: 2, Ask: askConnect, End: 1, To: &far.Address{Kind: far.RC, QPN: 1, MTU: 5, Size: far.WindowSize}},
		&request{ID: 3, Ask: askDo, End: 1, Op: &far.Op{Code: far.CompareSwap, Compare: 1, Value: 2, Data: []byte("data"), WithImm: true}},
		&request{ID: 4, Ask: askLoad, End: 1, Offset: 5, Length: 6},
		&answer{ID: 1, End: 1, At: &far.Address{Kind: far.RC, QPN: 1, MTU: 5}},
		&answer{ID: 2, Result: &far.Result{Status: 10}, Received: &far.Received{Data: []byte("x"), GRH: make([]byte, 40), Length: 1}},
		&answer{ID: 3, Why: "because", Is: []string{"deadline"}, Over: true},
	} {
		b, err := frame(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add(preamble(Protocol))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		read := func(v any) error {
			return (&wire{conn: canned{Reader: bytes.NewReader(data)}, step: time.Second}).read(v, maxFrame, time.Second)
		}
		if h := (&hello{}); read(h) == nil {
			h.About = cleanAbout(h.About)
			if len(h.About.Host.Name) > maxText {
				t.Errorf("a name of %d bytes", len(h.About.Host.Name))
			}
		}
		if p, v := (&proof{}), (&verdict{}); read(p) == nil && read(v) == nil {
			same(t, p)
			same(t, v)
		}
		r, a := &request{}, &answer{}
		if read(r) == nil && r.check() == nil {
			same(t, r)
		}
		if read(a) == nil {
			same(t, a)
			for _, asked := range []*request{{Ask: askNew, Kind: far.RC}, {Ask: askDo, Op: &far.Op{Code: far.Read}}, {Ask: askWaitRecv},
				{Ask: askLoad}} {
				if a.check(asked) == nil && a.Why == "" && asked.Ask == askNew {
					_ = *a.At
				}
			}
			_ = (&farError{"x", a.Why, a.Is}).Error()
		}
	})
}

// same sends a message once more.
func same[T any](t *testing.T, v *T) {
	t.Helper()
	b, err := frame(v)
	if err != nil {
		t.Fatalf("%+v: %v", v, err)
	}
	again := new(T)
	if err := decode(b[4:], again); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	first, _ := json.Marshal(v)
	if second, _ := json.Marshal(again); !reflect.DeepEqual(first, second) {
		t.Errorf("%s became %s", first, second)
	}
}
