//go:build linux && cgo

package dpath_test

import (
	"errors"
	"math"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestRefusal looks at the request that follows the posted ones, as rules do, and at what is said of it.
func TestRefusal(t *testing.T) {
	errs := &fail.Once{Verb: "ibv_post_send", Kind: "QP"}
	b := sendBatch(t, 4, 3)
	b.WR(2).Send(77).SGE(1, 5, 0).SGE(2, 3, 0).SGE(3, math.MaxUint32, 0)
	r, err := dpath.RefusalOf(b.From(1, 3), errs, 1, syscall.ENOMEM)
	check(t, err)
	const length = 8 // in struct ibv_sge
	if *(*uint64)(r.Request) != 77 || r.Total(length) != math.MaxUint32+8 || r.Least(length) != 3 {
		t.Errorf("wr_id %d, total %d, least %d", *(*uint64)(r.Request), r.Total(length), r.Least(length))
	}
	bad := []verr.Violation{{Rule: &verr.Rule{ID: "VR-1", Subject: "wr[].list[].length", Statement: "it is short"}, Value: "9"}}
	if !r.Full(nil) || r.Full(bad) {
		t.Errorf("full: %t without a broken rule, %t with one", r.Full(nil), r.Full(bad))
	}
	const said = "ibv_post_send: request 2 (wr_id 77) on a queue pair with state INIT: cannot allocate memory (ENOMEM); may be: " +
		"wr[2].list[].length 9: it is short [VR-1]"
	if err := r.Error(bad, nil, "", "state INIT"); err.Error() != said || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("got  %v\nwant %s", err, said)
	}
	if err := r.Error(nil, nil); err.Error() != "ibv_post_send: request 2 (wr_id 77): cannot allocate memory (ENOMEM)" {
		t.Errorf("%v", err)
	}
	if r, _ := dpath.RefusalOf(b.From(0, 1), errs, 0, syscall.EINVAL); r.Least(length) != math.MaxUint64 || r.Total(length) != 0 ||
		r.Full(nil) {
		t.Errorf("a request without elements, refused with EINVAL: least %d, total %d, full %t", r.Least(length), r.Total(length), r.Full(nil))
	}
}

// TestNoRefusal asks for the errors of posts that failed without a request to blame.
func TestNoRefusal(t *testing.T) {
	errs := &fail.Once{Verb: "ibv_post_recv", Kind: "QP"}
	b := recvBatch(t, 2, 1)
	for errno, want := range map[syscall.Errno]error{fail.ErrnoClosed: os.ErrClosed, fail.ErrnoBatchClosed: os.ErrClosed,
		fail.ErrnoNoMemory: syscall.ENOMEM, fail.ErrnoBatchShared: syscall.EBUSY, fail.ErrnoNoSendQueue: syscall.EINVAL,
		fail.ErrnoOverrun: verr.ErrOverrun} {
		if _, err := dpath.RefusalOf(b.From(0, 2), errs, 0, errno); !errors.Is(err, want) || errors.Is(err, verr.ErrQueueFull) {
			t.Errorf("%#x: %v, want %v", int(errno), err, want)
		}
	}
	if _, err := dpath.RefusalOf(b.From(1, 2), errs, 0, syscall.EINVAL); err == nil {
		t.Error("no error for more requests than there are")
	}
}
