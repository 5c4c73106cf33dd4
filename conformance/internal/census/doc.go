// Package census counts the objects that the kernel has on an RDMA device, so that tests can tell what they left behind.
//
// It owns the question to the kernel (netlink, as the command rdma resource asks it). It must not know who made the objects: the
// count is that of the whole machine.
package census
