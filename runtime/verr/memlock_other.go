//go:build !linux

package verr

func memlockHint() string { return "" }
