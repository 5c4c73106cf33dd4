// Package direct posts requests to mlx5 queues and polls them from Go, without calling C.
//
// mlx5dv_init_obj (mlx5dv(7)) tells a program where libmlx5 keeps the queues of an object. [TakeCQ], [TakeSRQ] and [TakeQP] ask for these
// addresses and take the queues over. From then on, the methods of package verbs that post, poll and wait work on the queues' memory
// directly, with the same results and errors: PostSend, PostRecv, PollInto, PollSpin, PostAndPoll, ReqNotify and Wait. A program can
// also write requests in place:
//
//	cq, err := direct.TakeCQ(dv, vcq)
//	qp, err := direct.TakeQP(dv, vqp, cq, cq, nil)
//	qp.Write(id, remote, rkey).SGE(addr, length, lkey).Flags(verbs.SendSignaled)
//	n, err := qp.Ring()
//
// Package verbs still creates, modifies, queries and closes the objects. Calls that need libmlx5 to own the queue return an error: command
// streams (QPStream), BindMW for windows of type 1, batches that bind windows of type 2 (use QP.Bind), CQReader and CQ.Resize. A queue
// cannot be given back to libmlx5.
//
// By default only one goroutine at a time may use a queue. With Shared several may: each call then costs an atomic exchange more, and the
// program must lock around requests written in place. Send, receive and completion queues count separately, so one goroutine can
// post while another polls.
//
// # Order
//
// The device reads and writes memory at the same time as the processor. The package keeps four orders. util/udma_barrier.h of rdma-core
// lists the barrier for each:
//
//   - A request is in memory before the doorbell record counts it (udma_to_device_barrier). The memory is cached and the device reads it
//     coherently, so ordered stores suffice. amd64 keeps stores in order, and the compiler does not move them across the assembly. arm64
//     needs DMB OSHST, because the device is an observer outside of the inner domain.
//   - The doorbell record is in memory before the register is written (mmio_wc_start). A store to a write-combining register may pass
//     earlier stores, even on amd64: hence SFENCE, and DSB ST on arm64.
//   - One write to the register leaves the processor before the next one (mmio_flush_writes): SFENCE and DSB ST again. If a doorbell
//     stayed in a buffer, its request would wait.
//   - The owner bit of a completion is read before the rest of it (udma_from_device_barrier). amd64 keeps loads from cached memory in
//     order, so rdma-core's LFENCE is not needed here, and Go's compiler does not move a load before an atomic one. arm64 needs DMB OSHLD.
//
// The index of a completion queue is stored after its completions were read, because the device may then overwrite them. amd64 keeps
// that order; arm64 needs DMB OSH. libmlx5 has no barrier there.
//
// # Close
//
// A call stores that it is inside and then loads whether the queue is closed, without a fence in between. Close stores that the queue is
// closed, stops the world once, and then waits until no call is inside. use.go explains why this suffices.
//
// # Other providers
//
// All files except direct.go, srq.go and use.go depend on mlx5's layouts. EFA offers the same addresses (efadv_query_qp_wqs,
// efadv_query_cq). Its requests have 64 bytes and lie in write-combining memory of the device, one doorbell of 4 bytes announces
// many of them, and its completions have a phase bit. Support for EFA would need its own send.go, recv.go and cq.go.
package direct
