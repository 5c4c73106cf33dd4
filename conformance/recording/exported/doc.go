// Package exported lists what the packages for programs export: reflection finds neither a type nor a function by its name.
package exported

//go:generate go run ./registry exported.gen.go
