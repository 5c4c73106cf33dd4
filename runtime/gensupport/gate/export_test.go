//go:build linux && cgo

package gate

// Fenced, Slots and Inside are for the tests, which import a package that imports this one.
var Fenced, Slots, Inside = fenced, slots, (*Gate).inside
