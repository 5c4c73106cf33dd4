//go:build linux && !cgo

package cases

import "github.com/verbsgen/verbsgen/conformance/suite"

// All returns nothing: without cgo no library can be loaded.
func All() []suite.Case { return nil }
