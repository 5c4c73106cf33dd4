// Package softcm is a librdmacm in software: a connection manager for tests and examples, without a kernel or hardware.
//
//	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
//	cm := softcm.New(soft)
//	v, err := verbs.LoadFrom(soft)
//	lib, err := rdmacm.LoadFrom(v, cm)
//
// A [Manager] connects identifiers of one program, over the devices of one libibverbs. That is a softverbs.Device, or anything else that
// has the functions of libibverbs. Addresses are those of the GIDs of the devices' ports: 10.0.PORT-1.DEVICE+1 and a link-local IPv6
// address, with any interface as its zone, for software devices. The network is 10.0.0.0/16: an address of it that no port has does not
// answer, and to other addresses there is no route.
//
// Each call answers as librdmacm and Linux (6.1, 6.12 and 7.2 alike) answer it with soft-RoCE, in each state of an identifier, and events
// have their values: a test compares the answers with those that were recorded there (conformance/device/cm).
// 127.0.0.1 has no route there; the option [Loopback] gives it one. Nobody needs to wait for a message: it arrives before the call that
// sends it returns, or is lost. Messages are lost, addresses do not answer, devices are removed and calls fail on order.
//
// There are identifiers of the port spaces TCP (RC queue pairs), UDP (UD) and IB (RC). What gen/rdmacm cannot reach is left out:
// identifiers without a channel, whose calls wait in C for their events, since EventChannel.CreateID always passes one; and XRC, which
// needs rdma_create_ep. Nor has soft-RoCE any XRC to compare with. Addresses of the family AF_IB do not exist.
package softcm
