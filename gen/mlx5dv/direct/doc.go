// Package direct posts to and polls queues of mlx5 from Go, without a call into C.
//
// libmlx5 tells a program where the queues of its objects are (mlx5dv_init_obj, mlx5dv(7)), and leaves them to it from then on. TakeCQ,
// TakeSRQ and TakeQP take them. Afterwards the methods of package verbs that post, poll and wait work on the memory of the queues,
// with the same results and errors: PostSend, PostRecv, PollInto, PollSpin, PostAndPoll, ReqNotify and Wait. Requests can also be
// written in place:
//
//	cq, err := direct.TakeCQ(dv, vcq)
//	qp, err := direct.TakeQP(dv, vqp, cq, cq, nil)
//	qp.Write(id, remote, rkey).SGE(addr, length, lkey).Flags(verbs.SendSignaled)
//	n, err := qp.Ring()
//
// Objects are made, modified, queried and closed by package verbs as before. What libmlx5 alone can do with a queue is refused once Go
// has it: streams of commands, BindMW for windows of type 1, batches that bind windows of type 2 (QP.Bind does), CQReader and CQ.Resize. A
// queue cannot be given back.
//
// One goroutine at a time may use a queue, at no cost. Shared lets several use it: each call costs an atomic exchange, and requests in
// place need a lock of the program. A send queue, a receive queue and a completion queue are three queues, so one goroutine may post while
// another polls.
//
// # Order
//
// What the device reads and writes, it reads and writes beside the processor. Four orders count, and util/udma_barrier.h of rdma-core
// says what keeps each of them:
//
//   - A request is in memory before the doorbell record counts it. The memory is cached and the device's reads are coherent, so that the
//     order in which stores leave the processor is enough (udma_to_device_barrier). amd64 keeps stores in order, and the assembly keeps
//     the compiler from moving them. On arm64 it is DMB OSHST, since the device is an observer outside of the inner domain.
//   - The record is in memory before the register is written (mmio_wc_start). The register may be mapped write-combining, and such a
//     store passes others, also on amd64: SFENCE, and DSB ST on arm64.
//   - The register has left the processor before the next write to it (mmio_flush_writes): SFENCE and DSB ST again. A doorbell that
//     stayed in a buffer would be a request that waits.
//   - The owner bit of a completion is read before the rest of it (udma_from_device_barrier). amd64 keeps loads from cached memory in
//     order, so that the LFENCE of rdma-core is not needed for that; Go's compiler does not move a load before an atomic one. On
//     arm64 it is DMB OSHLD.
//
// The index of a completion queue is stored after its completions were read, as the device may overwrite them then. amd64 keeps that
// order; on arm64 it is DMB OSH. libmlx5 has no barrier there.
//
// # Close
//
// A call stores that it is inside and then loads whether the queue is closed, without a fence. Close stores that the queue is closed,
// stops the world once, and then waits until nobody is inside: see use.go.
//
// # Other providers
//
// Files but direct.go, srq.go and use.go know the layouts of mlx5. efadv gives the same addresses for EFA (efadv_query_qp_wqs,
// efadv_query_cq): requests of 64 bytes in write-combining memory of the device, a doorbell of 4 bytes for many of them, completions with
// a phase bit. It would need its own send.go, recv.go and cq.go, and no change elsewhere.
package direct
