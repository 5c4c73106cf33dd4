// Package cm shows connections. Its tests run on two addresses with RDMA that reach each other, with the real librdmacm, or, where a
// machine has none, on two software devices with the software one. Tests with C programs need the former.
package cm
