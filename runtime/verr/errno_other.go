//go:build !linux

package verr

import "syscall"

// systemName knows no further names where no verb can run.
func systemName(syscall.Errno) string { return "" }
