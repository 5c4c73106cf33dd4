// Package softverbs is a libibverbs in software, inside the process. Like net/http/httptest it is made for tests: a test loads it
// where the program loads the real library, and needs no RDMA device:
//
//	soft := softverbs.New(softverbs.Name("soft0"), softverbs.MaxDMSize(1<<20))
//	defer soft.Close()
//	lib, err := verbs.LoadFrom(soft)
//
// It accepts and refuses the same calls as a kernel, with the same errnos: those of soft-RoCE in Linux 6.12, and for device memory
// those of mlx5. [LikeRXE61] makes a device with the abilities and errors of soft-RoCE in Linux 6.1. [LikeMLX5] makes a device whose
// queues fill up and that is strict, as an mlx5 card is; it finds mistakes that soft-RoCE forgives.
//
// Queue pairs (RC, UC, UD) of its devices, with receives of their own or from a shared receive queue, reach each other by GID and
// number, and work completions have the statuses of soft-RoCE in Linux 6.1. A datagram to a multicast group reaches every queue pair
// in the group. A frame that a queue pair of raw packets sends on a port arrives on that port, where flows say who receives it, and
// their counters count it. Each device has a C thread that executes the posted requests. Retry and RNR timers run as long as the
// attributes say: a request to a peer that does not answer ends with an error, or with retry_cnt 7 never ends.
//
// Without queue pairs, a [Peer] reads and writes registered memory as the other end of a connection would, so that keys, bounds,
// rights and addresses are checked. Options let calls fail, imitate older releases, and remove or replace symbols and
// operations. [Device.Leaks] lists what a program forgot to close.
//
// Tests of what a program does when things go wrong order the trouble: a call that fails ([Fail]), a request that ends with an
// error ([FailRequest]), completions that are lost, late, or in another order across queues ([LoseCompletion],
// [DelayCompletions], [Device.HoldCompletions]), a port that goes down ([Device.SetPort]) and a card that is pulled out
// ([Device.TakeAway]). Package verbstest beside this one has devices for a testing.TB, whose leaks and lints fail the test.
//
// The verbs are written in C; Go only configures them. The only code of the program that they call is the allocator of a parent
// domain: for each queue pair and each memory region made on that domain (except null regions), in the calls that make and
// destroy them. No lock is held then.
//
// The package owns the behaviour of the device. It must not know any generated package: a Device has the methods of their symbol
// source, so it serves the bindings of any package.
//
// Without cgo, or on another system than Linux, New returns a Device without symbols whose Err is errors.ErrUnsupported.
package softverbs
