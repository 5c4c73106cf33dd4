//go:build !linux

package cmem

import "errors"

// There is nothing to connect by: zones are numbers.
func interfaceIndex(string) (uint32, error) { return 0, errors.ErrUnsupported }
func interfaceName(uint32) (string, error)  { return "", errors.ErrUnsupported }
