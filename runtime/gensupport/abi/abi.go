// Package abi owns verbs_abi.h: generated C declarations of the whole verbs ABI of the newest known release, for C code of
// this project that includes no RDMA header and links no libibverbs (runtime/softverbs, conformance's providers).
//
// It has no code. A Go package whose C code has `#include "verbs_abi.h"` imports it for two reasons: `go mod vendor`
// copies only folders of imported packages, and Go's build cache follows imports but not C headers in other folders: the
// constant Hash makes Go build an importer again when the header changes.
package abi

//go:generate go test ../../../cmd/verbsgen/internal/emit/cdecl -run TestCheckedIn -update
