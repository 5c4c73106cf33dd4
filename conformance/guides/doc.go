// Package guides tests the Go code in README.md and docs/guide: all of it compiles, and the first programs print what the text says.
//
// It owns how code is taken from a page. It must not know what the code does.
package guides
