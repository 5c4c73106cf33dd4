package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestDemo runs the demo on the software device and pins what it prints, keys apart.
func TestDemo(t *testing.T) {
	var out strings.Builder
	if err := run(&out, ""); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`key 0x[0-9a-f]+`).ReplaceAllString(out.String(), "key KEY")
	const want = `opened soft0: max_dm_size 4194304 bytes
allocated 4096 bytes, aligned to 64; wrote and read them back (mode shim)
registered them zero-based: lkey KEY, rkey KEY
a peer read 64 bytes at offset 128: status IBV_WC_SUCCESS, bytes equal: true
refused: ibv_reg_mr: access REMOTE_WRITE (0x2): REMOTE_WRITE needs LOCAL_WRITE; add MRAccessLocalWrite [VR-ibv_reg_mr-access-0001]
refused: ibv_reg_dm_mr: access LOCAL_WRITE (0x1): a region over device memory needs ZERO_BASED; add DMAccessZeroBased [VR-ibv_reg_dm_mr-access-0002]
too early: ibv_free_dm: DM (handle 0) still has MR (lkey KEY) open; close what is open first: device or resource busy (EBUSY)
`
	if got != want {
		t.Errorf("the demo prints\n%s\nwant\n%s", got, want)
	}
}

// TestNoSuchDevice asks for a device that no library has.
func TestNoSuchDevice(t *testing.T) {
	if err := run(&strings.Builder{}, "no such device"); err == nil {
		t.Error("accepted")
	}
}
