package fail

import (
	"errors"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestRefusedArguments pins the errors of calls that are refused for an argument.
func TestRefusedArguments(t *testing.T) {
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{NilHandle("ibv_dereg_mr", "MR"), syscall.EINVAL, "ibv_dereg_mr: MR is nil; pass one that is open"},
		{NilValue("ibv_reg_mr", "buffer", "make one with mem.New"), syscall.EINVAL, "ibv_reg_mr: buffer is nil; make one with mem.New"},
		{TooShort("ibv_create_ah_from_wc", "grh", 40), syscall.EINVAL, "ibv_create_ah_from_wc: grh has fewer than 40 bytes; pass them all"},
		{OutOfRange("ibv_create_cq", "cqe", 1<<40), syscall.EINVAL,
			"ibv_create_cq: cqe 1099511627776: a C int has 32 bits; pass a smaller value"},
		{OutOfRange("", "A.B", -1<<40), syscall.EINVAL, "A.B -1099511627776: a C int has 32 bits; pass a smaller value"},
		{TooLong("rdma_reject", "private_data", 300, 255), syscall.EINVAL,
			"rdma_reject: private_data has 300 bytes, and at most 255 can be passed; pass fewer"},
		{NotYet("struct rdma_cm_id", "verbs", "ID"), syscall.EINVAL,
			"struct rdma_cm_id: the ID has no verbs yet; bind it to an address or resolve one first"},
		{Memory("ibv_reg_mr", os.ErrClosed), os.ErrClosed, "ibv_reg_mr: file already closed"},
	} {
		if c.err.Error() != c.text {
			t.Errorf("got  %q\nwant %q", c.err, c.text)
		}
		if e := new(verr.Error); !errors.As(c.err, &e) || !e.Refused || !errors.Is(c.err, c.is) {
			t.Errorf("%v: not refused, or not %v", c.err, c.is)
		}
	}
}

func TestCauses(t *testing.T) {
	of := []Cause{{syscall.ENOENT, "it is gone"}, {syscall.EBUSY, "it is in use"}, {syscall.ENOENT, "it never was"}}
	for errno, want := range map[syscall.Errno][]string{
		syscall.ENOENT: {"it is gone", "it never was"}, syscall.EBUSY: {"it is in use"}, syscall.EINVAL: nil, 0: nil,
	} {
		if got := Causes(errno, of...); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", errno, got, want)
		}
	}
}
