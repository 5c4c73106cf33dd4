//go:build !linux || !cgo

package dl

import "errors"

// Library would be the libibverbs of the process; this build makes none.
type Library struct{ path, release string }

// Open would load libibverbs; this build cannot.
func Open(path string) (*Library, error) {
	if path == "" {
		path = DefaultName
	}
	return nil, &Error{
		Path:    path,
		Problem: "this program was built without Linux or without cgo",
		Fix:     "libibverbs needs both: build on or for Linux with CGO_ENABLED=1 and a C compiler",
		Err:     errors.ErrUnsupported,
	}
}

// Symbol finds nothing: no Library exists in this build.
func (l *Library) Symbol(name, version string) uintptr { return 0 }
