// Package shared has C sources of what a kernel and a card decide alike for the software device and for the emulated card
// (conformance/card): which changes of state a queue pair accepts, and which frames a flow's filters match. Both compile them.
//
// It has no code.
package shared

import "embed"

// Source has the files below src. Package softverbs is built anew when they change.
//
//go:embed src
var Source embed.FS
