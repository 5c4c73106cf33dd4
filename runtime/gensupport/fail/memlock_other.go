//go:build !linux

package fail

func memlockHint(more uint64) string { return "" }
