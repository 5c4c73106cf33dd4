// Package cm shows connections on a kernel device: its tests need the real librdmacm, and two addresses with RDMA that reach each other.
package cm
