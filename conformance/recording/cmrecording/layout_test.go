//go:build linux && cgo

package cmrecording

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoftwareLayout compiles the sizes and offsets that the software librdmacm has behind the real header.
func TestSoftwareLayout(t *testing.T) {
	if _, err := os.Stat(*includeFlag + "/rdma/rdma_cma.h"); err != nil && *includeFlag == "/usr/include" {
		t.Skipf("the header of librdmacm is not installed: %v", err)
	}
	layout, err := filepath.Abs("../../../runtime/softcm/layout.h")
	if err != nil {
		t.Fatal(err)
	}
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	for change, good := range map[string]bool{"": true, "#define qp_type ps\n": false} { // another place for a member is noticed
		file := filepath.Join(t.TempDir(), "layout.c")
		text := "#include <rdma/rdma_cma.h>\n#include <stddef.h>\n" + change + "#include \"" + layout + "\"\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		said, err := exec.Command(cc[0], append(cc[1:], "-isystem", *includeFlag, "-fsyntax-only", file)...).CombinedOutput()
		if (err == nil) != good {
			t.Errorf("with %q: %v\n%s", change, err, said)
		}
	}
}
