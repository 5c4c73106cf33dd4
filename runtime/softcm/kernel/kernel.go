// Package kernel has the C sources of the kernel's half of package softcm: identifiers, their states, and the messages between them.
//
// It has no code. Package softcm and the emulated card (conformance/card) compile the sources, each with a librdmacm above them: its own,
// and the real one.
package kernel

import "embed"

// Source has the files below src. Package softcm is built anew when they change.
//
//go:embed src
var Source embed.FS
