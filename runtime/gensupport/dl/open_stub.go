//go:build !linux || !cgo

package dl

import (
	"errors"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Library would be a loaded library; this build makes none.
type Library struct{ path, release string }

// Open would load the library; this build cannot.
func (m Module) Open(path string) (*Library, error) {
	if path == "" {
		path = m.Name
	}
	return nil, &verr.LoadError{
		Path:    path,
		Problem: "this program was built without Linux or without cgo",
		Fix:     m.base() + " needs both: build on or for Linux with CGO_ENABLED=1 and a C compiler",
		Err:     errors.ErrUnsupported,
	}
}

// OpenOn is as Open.
func (m Module) OpenOn(path string, _ ...Source) (*Library, error) { return m.Open(path) }

// Symbol finds nothing: no Library exists in this build.
func (l *Library) Symbol(name, version string) uintptr { return 0 }
