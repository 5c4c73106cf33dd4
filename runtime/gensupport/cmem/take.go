package cmem

import (
	"github.com/verbsgen/verbsgen/runtime/internal/hold"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// Held is memory that stays where it is until Release is called.
type Held = hold.Held

// Take pins or retains the memory on behalf of who (see mem.Buffer.Retain). Errors are those of mem.PinBytes and Retain, EINVAL for an
// address in Go's heap, os.ErrClosed for a Pin that was unpinned, and an error for a nil source, pin or buffer.
func Take(s mem.Source, who string) (Held, error) { return hold.Take(s, who) }
