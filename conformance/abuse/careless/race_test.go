//go:build race && linux && cgo

package careless

const raceEnabled = true
