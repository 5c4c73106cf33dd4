// Package exported lists the types and functions that the packages for programs export, because reflection cannot find them by name.
package exported

//go:generate go run ./registry exported.gen.go
