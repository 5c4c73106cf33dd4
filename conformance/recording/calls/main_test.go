//go:build linux && cgo

package calls

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	switch os.Getenv(envChild) {
	case "":
		os.Exit(m.Run())
	case "nil":
		callNil()
	case "fuzz":
		callRandomly()
	}
	os.Exit(0)
}
