// Package softverbs is a libibverbs made of software, inside the process: what net/http/httptest is to HTTP.
// A program's tests load it where they would load the real library, and need no RDMA device:
//
//	soft := softverbs.New(softverbs.Name("soft0"), softverbs.MaxDMSize(1<<20))
//	defer soft.Close()
//	lib, err := verbs.LoadFrom(soft)
//
// It accepts and refuses what a kernel does, with the same errnos (soft-RoCE of Linux 6.12 is the reference, mlx5 for
// device memory). Queue pairs (RC, UC, UD) of its devices, with receives of their own or from a shared queue, reach each other
// by GID and number, and work completions have the statuses of soft-RoCE in Linux 6.1; [LikeRXE61] is a device that lacks what
// that lacks and refuses what it refuses. A thread of C per device executes what is posted; retry and RNR timers run for as
// long as the attributes say, so a peer that does not answer ends a request, or with retry_cnt 7 never does.
//
// Without queue pairs, a [Peer] moves bytes to and from registered memory as the other end of a connection would, so that
// keys, bounds, rights and addressing are put to the test. Calls can be told to fail, older releases imitated, single
// symbols and operations left out or replaced, and [Device.Leaks] names what a program forgot.
//
// The verbs are C from end to end; Go only configures them. The one thing of the program's that they call is the
// allocator of a parent domain: a provider calls it for the buffers of its queues, this one for each queue pair and each
// region made on that domain (null regions apart), in the calls that make them and those that end them. No lock is held
// then.
//
// It owns the behaviour of the device. It must not know any generated package: it satisfies their symbol source by
// its methods alone, so one Device serves bindings of any package.
//
// Without cgo, or on another system than Linux, New makes a Device without symbols whose Err is errors.ErrUnsupported.
package softverbs
