// Package calls calls everything that the packages for programs export, by reflection: with nil and zero values, and at random.
//
// Package exported lists the types and functions. The calls run in processes of their own, so that a signal is a result like any
// other. The package knows nothing of what the calls do.
package calls
