// Package bridge lets one generated package take and make the handles of another. It is for generated code.
//
// A generated package offers its types when the program starts. Another one, made for a library that works with the objects of the
// first, borrows a handle for a call, or makes a handle for an object that its library made. Lifetimes stay with package object: a
// borrowed handle cannot be closed before the call has returned, and a made one is closed by the library that made the object,
// before everything that it was made from.
//
// It also has what methods that are written by hand, in templates/verbs, do beside their calls of C: the list of devices, the memory that a
// region keeps in use after ibv_rereg_mr, and duplicates of file descriptors for libraries that take them over.
//
// It must not know what handles are for, nor C. Programs do not need it: the address of a C object is of use to generated code alone.
package bridge
