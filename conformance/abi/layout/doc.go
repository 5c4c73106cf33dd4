// Package layout holds a C compiler's view of the emitted verbs header against the stored facts, as package facts does with real headers,
// and the structs of package dpath. Its tests need gcc and nothing else; musl-gcc, aarch64-linux-gnu-gcc and an installed rdma/rdma_cma.h
// are asked too where they are.
//
// It knows no specs and no generated Go code.
package layout
