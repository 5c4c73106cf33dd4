//go:build !linux

package fail

func memlockHint() string { return "" }
