//go:build linux && cgo

package conformance

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	refuse()
	loadAlone()
	listenAlone()
	suiteAlone()
	os.Exit(m.Run())
}
