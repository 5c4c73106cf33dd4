//go:build linux

// Command vm runs test binaries beside a real RDMA device: it boots a Debian kernel with soft-RoCE in qemu, with this
// machine's file system as its root, and brings out what the tests said.
//
//	go run ./conformance/vm -kernel 6.1 -packages ./conformance/device [-- -test.run Name]
//	go run ./conformance/vm -kernel 6.12 -- ./device.test -test.v
//
// Several packages run in one boot, each with its own flags and those of all. The conformance suite runs beside the device
// tests like this, and leaves suite.json and suite.xml in the folder out:
//
//	go run ./conformance/vm -kernel 6.1 -out out -packages ./conformance/device,./conformance \
//	  -args './conformance=-test.run ^TestSuite$ -device rxe0 -peer-device rxe1 -overlay -report /out/suite.json -junit /out/suite.xml'
//
// The guest sees the root of this machine read-only, under a layer that forgets what is written; or -root, or with -rdma one
// made of the packages of a release of rdma-core. One folder is read-write: /out, in the environment as VERBS_OUT. It has two
// connected devices, rxe0 and rxe1. Every binary runs as root, with VERBS_DEVICE=rxe0 and VERBS_REQUIRE_DEVICE=1, in a folder that
// holds a copy of its package's testdata. What a package's tests said is kept as text and as JUnit XML, beside
// the kernel's log and what the tests wrote.
//
// Exit status (of the built program: "go run" turns every failure into 1):
//
//	0    passed, or not run because this machine cannot (it says so), unless VERBS_REQUIRE_DEVICE is 1
//	123  not run, and VERBS_REQUIRE_DEVICE is 1
//	124  the time limit was reached
//	125  the guest died, or did not come up
//	1    a test failed; with a command, the status of the command
//	2    wrong use
//
// The package owns the guest: its packages, root, kernel, initrd, boot and jobs. It must not know what the tests are about.
package main
