// Package conformance shows that the generated bindings do on a device what the man pages say.
//
// Its cases run on a software device. It may import the generated package, the runtime and the specs; nothing imports it. Its
// folders:
//
//	suite       cases that run on any device
//	device      tests on a real kernel; cm with the real librdmacm, oncard on the emulated card
//	card        the emulated card
//	vm          runs tests beside soft-RoCE in a virtual machine
//	cardreport  runs the suite on a card and writes a report to send in
//	recording   what crosses into C and back
//	abi         facts and layouts against compilers, headers and libraries
//	abuse       programs with mistakes, random operations, and changes of the code that tests must notice
//	bench       times and instructions, compared with C
//	documents   checks docs, and makes the pictures and the web site
package conformance
