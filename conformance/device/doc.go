// Package device shows what the bindings do on a real RDMA device of a real kernel, through the libibverbs of the machine.
//
// Its tests run in the guest of conformance/vm, or on a machine with a device of its own. -device NAME, or VERBS_DEVICE, names
// the device, and then a test that cannot run there fails. Without a name the first device is taken, and where there is none
// the tests are skipped with the reason. The package owns no device: a test closes what it opened, and the kernel's own count
// of objects shows it.
//
// What the kernels of three Debian releases answered to every combination of access flags, and with what they refused calls that
// break rules with severity error, is kept in testdata, so that the rules are held against real answers on any machine.
package device
