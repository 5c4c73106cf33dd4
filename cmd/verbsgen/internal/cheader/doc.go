// Package cheader reads the facts of a C header: its functions, records with their layout, enums and macros, and how
// each inline function reaches the provider.
//
// It is the only importer of the C parser and owns the stub system headers under stubs/, so that most headers need neither
// a C compiler nor the headers of a libc. It lays records out itself, see layout.go, and compares them with the compilers
// at hand. What it reads becomes an [api.Release]; it knows nothing of the spec, of Go names, or of what will be
// generated. Nothing here depends on verbs.h in particular, save the names of the few constructs that fold.go folds.
package cheader
