// Package dmbench measures copies to and from device memory against C, in ratios.
//
// It owns the two other contestants (a loop in C through the provider's callback, which is 1, and a plain cgo call for each
// copy, as a binding without thought makes it) and the way they are compared: in rounds, all three in each round, a
// ratio only ever inside one round, the median of the rounds reported. It must not know how a device memory is
// made: it is given a struct ibv_dm and the loops that copy.
package dmbench
