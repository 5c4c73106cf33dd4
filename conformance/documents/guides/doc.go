// Package guides runs the Go code in README.md and docs/guide on software devices. Programs print what the text says.
//
// It owns how code is taken from a page. It must not know what the code does.
package guides
