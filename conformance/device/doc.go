// Package device shows what the bindings do on a real RDMA device of a real kernel, through the libibverbs of the machine.
//
// Its tests run in the guest of conformance/vm, or on a machine with a device of its own; elsewhere they are skipped with the
// reason, or fail where VERBS_REQUIRE_DEVICE is 1. -device NAME, or VERBS_DEVICE, names the device; without it the first one
// is taken. The package owns no device: a test closes what it opened, and the kernel's own count of objects shows it.
//
// What the kernels of three Debian releases answered to every combination of access flags is kept in testdata, so that the
// rules are held against real answers on any machine.
package device
