// Package rereg does the work around a call of ibv_rereg_mr(3): before the call it pins or holds the new memory, and after the
// call it decides which memory to release.
//
// It must not know generated packages or how the verb is called.
package rereg
