// Package abi owns verbs_abi.h: generated C declarations of the whole verbs ABI of the newest known release, for C code of
// this project that includes no RDMA header and links no libibverbs (runtime/softverbs, conformance's providers).
//
// It has no code. A Go package whose C code includes the header imports it for two reasons: `go mod vendor`
// copies only folders of imported packages, and Go's build cache follows imports but not C headers in other folders: the
// constant Hash makes Go build an importer again when the header changes. It includes the header by its path: -I${SRCDIR} would
// put the folder of the clone into the key of the build cache, so that each clone compiles anew, also with -trimpath.
package abi

//go:generate go test ../../../cmd/verbsgen/internal/cgen -run TestCheckedIn -update
