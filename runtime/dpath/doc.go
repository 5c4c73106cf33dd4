// Package dpath is the data path: posting of work requests (ibv_post_send(3), ibv_post_recv(3)), polling of completions
// (ibv_poll_cq(3)) and waiting for them (ibv_get_cq_event(3)), at about the speed of C; and the waiting for events of a device
// (ibv_get_async_event(3)), which is the same waiting.
//
// It owns the memory that work requests are built in, the layouts of struct ibv_send_wr, ibv_recv_wr, ibv_sge and ibv_wc
// as Go sees them, and the crossings into C. It must not know how queues are made or destroyed, nor any generated package:
// it is given gates of C objects (package gate). A call on a closed object answers verr.ErrnoClosed, one with a closed
// batch verr.ErrnoBatchClosed, and a Close waits for the calls that are inside.
//
// # Batches
//
// A crossing costs as much as twenty work requests, so requests are posted in batches: SendBatch and RecvBatch hold
// an array of them in memory outside Go's heap, linked once. A program fills in requests, or changes only what differs from
// the last time, and posts the first n of them by one call. What was posted may be changed as soon as the call is back. A
// batch, its requests included, belongs to one goroutine at a time.
//
// Addresses in requests are numbers: nothing here keeps the memory at them alive or in its place. It must be
// registered memory, pinned memory of Go or memory outside Go's heap, until the completion; for Inline requests until the post is back.
//
// An index out of range (a request beyond the batch, one scatter/gather element more than a request has room for) is a
// run-time panic, as it is for slices, and so is the use of a request after Close of its batch.
//
// # Waiting
//
// A program that does not poll all the time asks for an event (ReqNotify), polls once more, and waits for it by
// Channel.Next, which sleeps on Go's poller and ends with a context. Events that were given are acknowledged by Channel.Ack.
// Async does the same for what happens to a device, its ports and the objects made from it.
//
// # Errors
//
// Posts and polls answer an errno, 0 when all went well, and allocate nothing either way. The caller makes an error of it.
// A request that was posted and failed later says so in its completion: WC.Err makes an error of that.
package dpath
