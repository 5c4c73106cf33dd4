// Package calls calls everything that the packages for programs export, by reflection: with nil and zero values, and at random.
//
// The list of types and functions is generated, and compared with the packages by a test, so that nothing new is forgotten. The calls
// run in processes of their own, so that a signal is a result like any other. The package knows nothing of what the calls do.
package calls

//go:generate go run ./registry registry.gen_test.go
