package gate

import "github.com/verbsgen/verbsgen/runtime/gensupport/gate/internal/header"

// Header is a hash of gate.h: a package whose C code includes it imports this one, and so is built anew when the header changes.
const Header = header.Hash
