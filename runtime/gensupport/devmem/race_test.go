//go:build race && linux && cgo

package devmem_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestRacesAreSeen lets two goroutines use one host slice, in another process, and asks that the detector reports it
// though the copies are made by assembly and C.
func TestRacesAreSeen(t *testing.T) {
	const marker = "DEVMEM_RACE"
	kinds := map[string]fakeprov.Kind{"direct4": fakeprov.MLX5, "shim": fakeprov.Words}
	if kind, ok := kinds[os.Getenv(marker+"_MODE")]; ok {
		racing(open(t, load(t, kind), 8192), os.Getenv(marker))
		return
	}
	for mode := range kinds {
		for _, way := range []string{"write", "read", "write long", "read long", "write pieces", "read pieces", "write wide", "read wide"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestRacesAreSeen$")
			cmd.Env = append(os.Environ(), marker+"="+way, marker+"_MODE="+mode)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("%s, %s: no race reported: %v\n%s", mode, way, err, out)
			}
		}
	}
}

func racing(f *fixture, way string) {
	n := 64
	if strings.HasSuffix(way, "long") {
		n = 8192
	}
	buf := make([]byte, n)
	done := make(chan bool)
	go func() { buf[n/2] = 1; close(done) }()
	all := []devmem.Piece{{Len: 4}, {Off: 4, At: 4, Len: n - 4}}
	switch way {
	case "write pieces":
		f.WriteV(buf, all)
	case "read pieces":
		f.ReadV(buf, all)
	case "write wide":
		f.Wide().WriteAt(buf, 0)
	case "read wide":
		f.Wide().ReadAt(buf, 0)
	case "write", "write long":
		f.WriteAt(buf, 0)
	default:
		f.ReadAt(buf, 0)
	}
	<-done
}
