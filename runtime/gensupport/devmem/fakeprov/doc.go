// Package fakeprov makes providers of device memory for tests: shared objects that are compiled when a test runs, behave
// like a known provider as far as device memory goes, and are loaded into the process.
//
// It owns their C sources (src/) and the way they are built and loaded. It must not know devmem or any generated package:
// it gives addresses of C functions. They can be called here (Open, Alloc), or be handed to a software device
// that puts them into its table of ops. It is for the tests of this repository: nothing is promised about its API.
package fakeprov
