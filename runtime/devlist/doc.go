// Package devlist walks through the list of devices, and finds one by its name.
//
// It must not know generated packages: they give the functions of the library and read the entries.
package devlist
