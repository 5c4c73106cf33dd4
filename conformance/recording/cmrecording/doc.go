// Package cmrecording shows that gen/rdmacm passes what it is given, and returns what comes back: its tests load a librdmacm that is
// compiled against the real rdma/rdma_cma.h and writes down every argument and every field of every call. Devices and queue pairs
// are those of runtime/softverbs.
//
// It owns that library. It must not know how the bindings are generated, nor what a real librdmacm does.
package cmrecording
