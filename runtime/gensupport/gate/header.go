package gate

// Header is a hash of gate.h. Go's build cache follows imports, but not C headers of other folders: a package whose C code includes
// gate.h imports this one, and so is built anew when the header changes.
const Header = "b5025d68d56f3114"
