// Package softcm is librdmacm in software: a connection manager for tests and examples, without a kernel or hardware.
//
//	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
//	cm := softcm.New(soft)
//	v, err := verbs.LoadFrom(soft)
//	lib, err := rdmacm.LoadFrom(v, cm)
//
// A [Manager] connects identifiers within one program, over the devices of one libibverbs: a softverbs.Device, or another source of its
// functions. The IP addresses follow from the GIDs of the devices' ports. Software devices have the addresses 10.0.PORT-1.DEVICE+1 and a
// link-local IPv6 address each, for which any zone is accepted. An address in 10.0.0.0/16 that belongs to no port does not answer.
// Other addresses have no route. 127.0.0.1 has none either, as on Linux with RoCE, unless the option [Loopback] is set.
//
// In each state of an identifier, calls return what librdmacm and Linux return on soft-RoCE, and events carry the same values. Linux 6.1,
// 6.12 and 7.2 do not differ here. The tests of conformance/device/cm compare the Manager with answers recorded on these kernels.
//
// A message arrives before the call that sends it returns, so a test never waits for one. To test failures, a Manager loses messages
// ([Lose]), silences addresses ([Silence]), fails calls ([Fail]) and removes devices ([Manager.RemoveDevice]).
//
// The port spaces are TCP (RC queue pairs), UDP (UD) and IB (RC). XRC, addresses of the family AF_IB, and identifiers without an event
// channel are missing; package gen/rdmacm uses none of them.
package softcm
