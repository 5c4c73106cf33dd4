// Package layout holds a C compiler's view of verbs headers against the stored facts: sizes, alignments, offsets, types,
// values. Its tests need gcc and nothing else; musl-gcc, aarch64-linux-gnu-gcc and an installed infiniband/verbs.h are
// asked too where they are.
//
// It knows the facts and the emitter of C (cdecl), no specs and no generated Go code.
package layout
