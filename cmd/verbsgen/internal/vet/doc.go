// Package vet holds calls of generated packages against the rules of their pages before a program runs: what `verbsgen vet` reports.
//
// A generated package says which module and release it is of; a fact (origin.go) carries that to the packages that import it. A walk
// through each function (walk.go, expr.go) follows constants, structs and builders from statement to statement. For a call of a
// generated method (call.go) it makes the case that package explain judges, in which everything that is not known is explain.Unsaid, and so
// decides nothing.
//
// It has no table of verbs: which method calls which C function, and which field is which, is in the model of the package. Only the
// methods of work requests (building.go), which are written by hand in package dpath, are listed here. A post (post.go) is judged request
// by request.
package vet
