// Package exports lists what the packages that programs import export, one line for each symbol, and compares two lists.
//
// It owns the form of the lists in docs/api, and which differences can break a program. Its test compares the lists with the tree: each
// difference must be named in CHANGELOG.md. It knows nothing of what the symbols do.
package exports
