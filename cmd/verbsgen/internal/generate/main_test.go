package generate

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has the garbage collector run less often, as the command does: these tests generate some hundred packages.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
