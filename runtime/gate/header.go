package gate

// Header is a hash of gate.h. Go's build cache follows imports, but not C headers of other folders: a package whose C code
// includes gate.h imports this one, and so is built anew when the header changes.
const Header = "262799b4d0f0e6ce"
