//go:build linux && cgo

package careless

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/verbsgen/verbsgen/runtime/mem"
)

// writtenAfterClose writes to a closed buffer, after others of its size were made. A fault is a panic here, and not the end.
func writtenAfterClose(*world) (err error) {
	b, err := mem.New(1 << 16)
	if err != nil {
		return nil
	}
	bytes := b.Bytes()
	if b.Close() != nil {
		return nil
	}
	var others []*mem.Buffer
	for range 100 {
		other, err := mem.New(1 << 16)
		if err != nil {
			return nil
		}
		others = append(others, other)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		err = fmt.Errorf("written after Close: %v", recover())
		for i, other := range others {
			if other.Bytes()[7] != 0 {
				err = fmt.Errorf("buffer %d was written", i)
			}
			err = errors.Join(err, other.Close())
		}
	}()
	bytes[7] = 1
	return nil
}
