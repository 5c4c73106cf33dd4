// Package libs shows that one test binary runs with the real libibverbs of every release: what a release has works, and
// what it lacks answers errors.ErrUnsupported. make libs gets the libraries and runs the binary with each; go test alone
// takes the library and the header of this machine.
//
// It owns the comparison of a loaded library with the stored facts of its release, and a provider that is compiled against
// the verbs.h of that release. It must not know where the packages come from.
package libs
