// Package gensupport and the packages in its folder are for generated code: a package that verbsgen has generated imports them, and a
// program that uses such a package does not.
//
// They change together with the generator. Nothing is promised about their API beyond this: generated code works with the runtime
// version that it was generated for. What a program needs is in the generated package itself, which has aliases of types of dpath and
// devmem (their methods are part of its API, and docs/api lists them), and in the packages beside this folder: mem, softcm, softverbs and
// verr.
//
// Each package may import those above it, except that dl, devmem and cmem do not know each other:
//
//	fail    errors, with the values and texts of rules
//	gate    calls without a lock, and a Close that waits for them
//	object  lifetimes of handles
//	dl      loads libraries
//	devmem  copies of device memory
//	cmem    memory, structs and callbacks of C
//	dpath   posts, polls and waits
//	bridge  handles of one generated package in calls of another
//
// Package allocs is for tests.
//
// verbs_abi.h has generated C declarations of the whole verbs ABI of the newest known release, for C code of this project that includes
// no RDMA header and links no libibverbs. A package whose C code includes it imports this one for two reasons: `go mod vendor` copies
// only folders of imported packages, and Go's build cache follows imports but not C headers in other folders. It includes the header by
// its path: -I${SRCDIR} would put the folder of the clone into the key of the build cache, so that each clone compiles anew, also with
// -trimpath.
package gensupport

//go:generate go test ../../cmd/verbsgen/internal/cgen -run TestCheckedIn -update
