// Package hold is how generated code takes hold of the memory of a mem.Source, whose methods programs do not see.
package hold

import "fmt"

// Held is memory that stays where it is until Release is called.
type Held struct {
	Addr    uintptr
	Len     uint64
	Release func() // nil only in the zero value

	Named func(who string) // stores the name of who holds the memory; nil where no name is kept
}

// Rename changes the name of who holds the memory, where the error of a Close shows it: often it is known only when the memory is
// in use.
func (h Held) Rename(who fmt.Stringer) {
	if h.Named != nil {
		h.Named(who.String())
	}
}

// Take holds the memory of a mem.Source on behalf of who. Package mem sets it.
var Take func(source any, who string) (Held, error)
