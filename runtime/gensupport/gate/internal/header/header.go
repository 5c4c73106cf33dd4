// Package header is a hash of gate.h. Go's build cache follows imports, but not C headers of other folders: a package whose C code
// includes gate.h imports this one, by itself or through package gate, and so is built anew when the header changes.
package header

// Hash is that of gate.h; a test of package gate says when it is not.
const Hash = "b5025d68d56f3114"
