//go:build linux

package cases

import (
	"bytes"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// repliesTo are the cases of address handles that are made of completions.
func repliesTo() []suite.Case {
	return []suite.Case{
		of("CF-answer-0001", "a datagram is answered by the header in front of it", "ibv_create_ah_from_wc", answered, suite.Peer),
		of("CF-answer-0002", "headers of no version, of another port and of a group", "ibv_create_ah_from_wc", noAnswer, suite.RoCE).Ruled(
			"VR-ibv_init_ah_from_wc-grh-0763"),
	}
}

// answered sends a datagram back to where one came from.
func answered(t *suite.T) {
	n := newNear(t, far.UD)
	n.room(1, 0, verbs.GRHSize+4)
	n.tell("a question", far.Op{Code: far.Send, Data: []byte("ask?")})
	wc := n.received("a question", 1, verbs.WCOpcodeRecv, verbs.GRHSize+4)
	front := bytes.Clone(n.buf[:verbs.GRHSize])
	port := t.Port().Number()
	direct := must(n.pd.CreateAHFromWC(&wc, front, port))(t)
	described := must(n.pd.CreateAH(must(t.Device().InitAHFromWC(port, &wc, front))(t)))(t)
	// In a fixed order, as what a case sees is compared from run to run.
	for i, what := range []string{"by the completion", "by its description"} {
		ah := []*verbs.AH{direct, described}[i]
		out := fill(n.buf[:8], len(what))
		r := n.says(what, n.addressed(n.part(n.wr().Send(opID), 0, 8), ah, wc.SrcQP), out)
		is(t, what+": the queue pair that it is from", r.SrcQP, n.qp.Num())
		ok(t, "Close", ah.Close())
	}
}

func noAnswer(t *suite.T) {
	pd, dev := newPD(t), t.Device()
	wc := &verbs.WC{Flags: verbs.WCFlagGRH}
	header := func(to verbs.GID) []byte {
		h := make([]byte, verbs.GRHSize)
		h[0], h[6] = 6<<4, 17 // of IPv6, with UDP behind it
		copy(h[8:], bytes.Repeat([]byte{0xfe}, 16))
		copy(h[24:], to[:])
		return h
	}
	for what, h := range map[string][]byte{"a group": header(verbs.GID{0: 0xff, 15: 1}),
		"a GID that the port has not": header(verbs.GID{0: 0xfe, 1: 0x80, 15: 0xee}),
		"no version":                  make([]byte, verbs.GRHSize)} {
		ah, err := pd.CreateAHFromWC(wc, h, 1)
		if err == nil {
			t.Errorf("%s: an address handle is made", what)
			ok(t, "Close", ah.Close())
		}
		if _, err := dev.InitAHFromWC(1, wc, h); err == nil {
			t.Errorf("%s: a path is described", what)
		}
	}
	for _, short := range [][]byte{nil, make([]byte, verbs.GRHSize-1)} {
		fails(t, fmt.Sprintf("a header of %d bytes", len(short)), errorOf(dev.InitAHFromWC(1, wc, short)), syscall.EINVAL)
	}
	fails(t, "no completion", errorOf(pd.CreateAHFromWC(nil, header(verbs.GID{}), 1)), syscall.EINVAL)
	if _, err := dev.InitAHFromWC(1, new(verbs.WC), make([]byte, verbs.GRHSize)); err != nil {
		t.Errorf("a completion without a header: %v", err)
	}
}
