package dpath

import (
	"errors"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// set has the names a, b and c for its lowest bits.
type set uint64

func (s set) String() string {
	var names []string
	for i, name := range []string{"a", "b", "c"} {
		if s>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "|")
}

func TestCheckAsked(t *testing.T) {
	for _, tt := range []struct {
		asked  Asked
		fields set
		errno  syscall.Errno
		text   string
	}{
		{AskedFor(3), 3, 0, ""},
		{AskedFor(3), 0, 0, ""},
		{AskedFor(0), 0, 0, ""},
		{AskedFor(1), 7, syscall.EINVAL, "v: a reader cannot read c"},
		{AskedFor(4), 3, syscall.EINVAL, "v: this CQ was not asked for a|b when it was made"},
		{Asked{}, 0, syscall.EOPNOTSUPP, "v: this CQ was made without being asked for anything"},
	} {
		err := CheckAsked(tt.asked, "v", "CQ", tt.fields, 3)
		want(t, err, tt.errno, tt.text)
	}
}

func TestLacksRead(t *testing.T) {
	for _, tt := range []struct {
		a     Answer
		errno syscall.Errno
		text  string
	}{
		{Answer{}, 0, ""},
		{Answer{Lacking: 5}, syscall.EOPNOTSUPP, "v: the provider has no function to read a|c with"},
		{Answer{Lacking: math.MaxUint64}, syscall.EOPNOTSUPP, "v: the provider has no functions to read a CQ with"},
		{Answer{Code: int32(syscall.ENOMEM)}, syscall.ENOMEM, "v: cannot allocate memory"},
	} {
		want(t, Lacks(tt.a, "v", "CQ", set(0)), tt.errno, tt.text)
	}
	if err := Lacks(Answer{Code: int32(fail.ErrnoClosed)}, "v", "CQ", set(0)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestReadAnswer(t *testing.T) {
	var of gate.Gate
	empty := Answer{}
	if n, errno := empty.Read(&of); n != 0 || errno != 0 {
		t.Errorf("of an empty queue: %d, %v", n, errno)
	}
	of.Fail(fail.ErrnoOverrun)
	if n, errno := empty.Read(&of); n != 0 || errno != fail.ErrnoOverrun {
		t.Errorf("of an empty queue that has failed: %d, %v", n, errno)
	}
	if n, errno := (&Answer{N: 1}).Read(&of); n != 1 || errno != 0 {
		t.Errorf("of a queue that has failed: %d, %v", n, errno)
	}
	a := Answer{N: 3, Code: int32(syscall.EBUSY)}
	if n, errno := a.Read(&of); n != 3 || errno != syscall.EBUSY {
		t.Errorf("%d, %v", n, errno)
	}
}

func want(t *testing.T, err error, errno syscall.Errno, text string) {
	t.Helper()
	if errno == 0 {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if !errors.Is(err, errno) || !strings.HasPrefix(err.Error(), text) {
		t.Errorf("%v, want %q with %v", err, text, errno)
	}
}
