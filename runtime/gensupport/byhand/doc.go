// Package byhand has what the methods that are written by hand, in templates/verbs, do beside their calls of C: the list of devices, the
// memory that a region keeps in use after ibv_rereg_mr, and duplicates of file descriptors for libraries that take them over.
//
// It does not know generated packages, nor how a verb is called.
package byhand
