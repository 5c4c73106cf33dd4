//go:build linux

package suite

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestAnswer gives the words of a report for errors of each kind.
func TestAnswer(t *testing.T) {
	rule := &verr.Rule{ID: "R1"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "ok"},
		{fail.Violations{{Rule: rule}}.Err("v"), "refused by rule R1"},
		{fail.Closed("v", "PD"), "closed"},
		{fail.Failed("v", syscall.ENOMEM, nil), "ENOMEM"},
		{fmt.Errorf("around it: %w", syscall.EBUSY), "EBUSY"},
		{fail.Missing("v", "v", "", ""), "an error without an errno"},
		{fail.Failed("v", 0, nil), "an error without an errno"},
		{errors.New("words"), "an error without an errno"},
		{os.ErrClosed, "closed"},
	} {
		if got := Answer(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
