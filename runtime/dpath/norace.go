//go:build !race && linux && cgo

package dpath

func written([]WC) {}

func sending([]SendWR) {}

func receiving([]RecvWR) {}
