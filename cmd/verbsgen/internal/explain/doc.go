// Package explain judges calls by the rules of the spec: what `verbsgen explain` answers.
//
// It owns how a case (a call written as data) becomes typed values, what each node of a condition (package cond) means
// for them, and the words of the messages. It knows nothing of YAML, of generated code or of the command line. The
// generated validators answer the same for the same call; their tests hold one against the other.
//
// [Checker.File] writes the same conditions down for programs in other languages.
//
// # What is left out
//
// An argument or a field of a struct that a case leaves out is valid and neutral: no rule is broken by it, flags of
// it are not set, and it equals nothing in a condition. A mask that is left out has the bits of the fields given. A
// property of an object that is left out is unknown, as is what stands behind "@name", and so is a capability that is left
// out. A rule that may be broken, but for one of these, is listed as not judged.
package explain
