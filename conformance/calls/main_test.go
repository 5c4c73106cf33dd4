//go:build linux && cgo

package calls

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	switch os.Getenv(envChild) {
	case "":
		os.Exit(m.Run())
	case "nil":
		callNil()
	}
	os.Exit(0)
}
