// Package rereg is what a change of a memory region does beside the call of ibv_rereg_mr: it holds the new memory, and
// then decides which memory to release.
//
// It must not know generated packages or how the verb is called.
package rereg
