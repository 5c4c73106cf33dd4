// Package recording shows that what Go sets arrives in C, and that what C answers arrives in Go: every field of every record, and every
// argument of every verb.
//
// It owns a libibverbs that records. Source writes it in C from the facts: a table for each record, a function for each function of the
// library, each operation of a context and each of an object. It is compiled against the real verbs.h, so that the compiler's layout
// decides where a field lies, not the facts. Records that this verbs.h lacks, or that have grown since, are those of the project's own
// header, which conformance/abi/layout compares with real ones: a new release needs no new verbs.h. A call is written down, with all
// records it points to; objects and results are made with a value of its own in each field.
//
// The tests call every method of the generated package that its pages bind, with every setter of every builder, and compare all fields
// by their names in C. They know verbs, records and fields by the pages alone: a new page needs no C and no Go, and its builders are
// found in package exported. A method of a new form, which does more than pass its arguments on, is named in arguments_test.go with the
// test that calls it. Rules are not switched off: a value that one refuses is replaced by another, and the device can do everything.
//
// The flag -include takes the folder of another release's header; make libs runs the tests with several.
package recording
