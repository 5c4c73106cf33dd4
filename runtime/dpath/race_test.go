//go:build race && linux && cgo

package dpath_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/dpath"
)

// TestRacesAreSeen lets two goroutines use one slice of completions, in another process, and asks that the detector
// reports it though C writes them.
func TestRacesAreSeen(t *testing.T) {
	const marker = "DPATH_RACE"
	if os.Getenv(marker) != "" {
		p := provider(t)
		p.Idle()
		wcs := make([]dpath.WC, 4)
		done := make(chan bool)
		go func() { wcs[3].ID = 1; close(done) }()
		dpath.PollCQ(p.CQ(), wcs)
		<-done
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRacesAreSeen$")
	cmd.Env = append(os.Environ(), marker+"=1")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
		t.Errorf("no race reported: %v\n%s", err, out)
	}
}
