// Package byhand has what the methods that are written by hand, in templates/verbs, do beside their calls of C: the list of devices, and
// the memory that a region keeps in use after ibv_rereg_mr.
//
// It does not know generated packages, nor how a verb is called.
package byhand
