// Package cases holds the cases of the conformance suite, a file for each family.
//
// It owns their IDs: a number is given once. A case uses the bindings alone, but where it compares them with what the library
// says without them. It must not know how cases are run or reported.
package cases
