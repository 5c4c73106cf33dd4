// Package devlist lists the RDMA devices of a machine and finds one by its name.
//
// It must not know generated packages: they pass the functions of the library and read the entries.
package devlist
