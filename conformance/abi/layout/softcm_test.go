package layout

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSoftwareLayout compiles the sizes and offsets that the software librdmacm has behind the real header.
func TestSoftwareLayout(t *testing.T) {
	if _, err := os.Stat("/usr/include/rdma/rdma_cma.h"); err != nil {
		t.Skipf("the header of librdmacm is not installed: %v", err)
	}
	layout, err := filepath.Abs("../../../runtime/softcm/layout.h")
	if err != nil {
		t.Fatal(err)
	}
	for change, good := range map[string]bool{"": true, "#define qp_type ps\n": false} { // another place for a member is noticed
		text := "#include <rdma/rdma_cma.h>\n#include <stddef.h>\n" + change + "#include \"" + layout + "\"\n"
		if out, ok := check(t, "gcc", "gnu11", text); ok != good {
			t.Errorf("with %q:\n%s", change, out)
		}
	}
}
