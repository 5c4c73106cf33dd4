package dpath

import (
	"errors"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
)

// TestWCErr asks that success is no error, and that any other status is one that names the request and explains itself.
func TestWCErr(t *testing.T) {
	check(t, (WC{ID: 7}).Err())
	allocs.None(t, "success", func() { _ = (WC{ID: 7}).Err() })
	err := WC{ID: 7, QPNum: 0x11, Status: 10, VendorErr: 0x88}.Err()
	var wcErr *WCError
	if !errors.As(err, &wcErr) || *wcErr != (WCError{7, 0x11, 10, 0x88}) {
		t.Fatalf("%#v", err)
	}
	for _, c := range []struct {
		wc   WC
		says string
	}{
		{WC{ID: 7, QPNum: 0x11, Status: 10, VendorErr: 0x88},
			"request 7 of queue pair 0x11 completed with REM_ACCESS_ERR, vendor error 0x88; most likely " +
				"the rkey is wrong, of a closed region, or of another protection domain than the peer's queue pair, the range leaves the " +
				"peer's region, or the region lacks the right (REMOTE_READ, REMOTE_WRITE, REMOTE_ATOMIC)"},
		{WC{ID: 1, QPNum: 2, Status: 11},
			"request 1 of queue pair 0x2 completed with REM_OP_ERR; most likely the peer could not finish the request; " +
				"its own completion or event says why"},
		{WC{Status: 99, VendorErr: 1}, "request 0, whose queue pair is not known since the reader does not read QPNum, completed " +
			"with WCStatus(99), vendor error 0x1"},
	} {
		if got := c.wc.Err().Error(); got != c.says {
			t.Errorf("%s\nwant %s", got, c.says)
		}
	}
	for s := range wcStatusNames {
		if (wcStatusLikely[s] == "") != (s == 0) {
			t.Errorf("%v is explained as %q", WCStatus(s), wcStatusLikely[s])
		}
	}
}

// TestNamesOfUnknown asks for the names of values that nobody defined, and of some at the edges; those of the others are in names.gen.go,
// from the facts.
func TestNamesOfUnknown(t *testing.T) {
	for _, c := range [][2]string{
		{WCStatus(1 << 20).String(), "WCStatus(1048576)"},
		{WCOpcode(10).String(), "WCOpcode(10)"},
		{WCOpcode(127).String(), "WCOpcode(127)"},
		{WCOpcode(128).String(), "RECV"},
		{WCOpcode(138).String(), "WCOpcode(138)"},
		{WCOpcode(1<<32 - 1).String(), "WCOpcode(4294967295)"},
		{WROpcode(12).String(), "WROpcode(12)"},
		{WROpcode(15).String(), "ATOMIC_WRITE"},
		{WROpcode(16).String(), "WROpcode(16)"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}
