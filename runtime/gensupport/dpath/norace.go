//go:build !(race && linux && cgo)

package dpath

func written([]WC) {}

func reading[W record](*requests[W], int, int) {}
