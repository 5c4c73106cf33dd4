// Package softverbs is a libibverbs in software, inside the process. It is for tests, like net/http/httptest: a test loads it instead of
// the real library, and needs no RDMA device:
//
//	soft := softverbs.New(softverbs.Name("soft0"), softverbs.MaxDMSize(1<<20))
//	defer soft.Close()
//	lib, err := verbs.LoadFrom(soft)
//
// # Devices
//
// A device accepts and refuses the same calls as a kernel, with the same errnos: soft-RoCE's of Linux 6.12, and mlx5's for device memory.
// [LikeRXE61] imitates soft-RoCE of Linux 6.1. [LikeMLX5] is strict as an mlx5 card is, and its queues fill up: it finds mistakes that
// soft-RoCE forgives. Other options imitate older releases of rdma-core, and remove or replace symbols and operations.
//
// Queue pairs of its devices, of types RC, UC and UD, reach each other by GID and number. They receive into their own queue or a shared
// one. Work completions have the statuses of soft-RoCE in Linux 6.1. A datagram to a multicast group reaches every queue pair in the
// group. A frame that a raw packet queue pair sends arrives on the same port: flows choose its receivers, and counters count it.
//
// A C thread of each device executes posted requests. Retry and RNR timers run as long as the attributes say: a request to a peer that does
// not answer ends with an error, or never with retry_cnt 7 (but see LikeMLX5). A [Peer] reads and writes registered memory without queue
// pairs, with the same checks of keys, bounds and access.
//
// # Testing failures
//
//   - [Fail]: a verb fails. [FailRequest]: a request ends with an error.
//   - [LoseCompletion], [DelayCompletions], [Device.HoldCompletions]: completions are lost, late, or reordered across queues.
//   - [Device.SetPort]: a port goes down. [Device.TakeAway]: the card is pulled out.
//   - [Device.Leaks] lists objects that the program forgot to close.
//
// Package gen/verbs/verbstest creates devices for a testing.TB and fails tests with leaks or lints.
//
// # Implementation
//
// The verbs are written in C, and Go only configures them. The C code calls back into the program only for the allocator of a parent
// domain: when a queue pair, or a memory region other than a null region, is created or destroyed in that domain. It holds no lock then.
//
// The package knows no generated package: a Device is a source of symbols for LoadFrom of any generated package. Without cgo, or on
// another system than Linux, New returns a Device without symbols whose Err is errors.ErrUnsupported.
package softverbs
