// Package dpath is the data path: it posts work requests (ibv_post_send(3), ibv_post_recv(3)), polls completions (ibv_poll_cq(3)) and
// waits for them (ibv_get_cq_event(3)), at about the speed of C. It also waits for the events of a device (ibv_get_async_event(3)).
//
// It owns the memory in which work requests are built, the layouts of struct ibv_send_wr, ibv_recv_wr, ibv_sge and ibv_wc in Go, and the
// calls into C. It must not know how queues are made or destroyed, nor any generated package: it gets pointers to C objects, and the
// caller keeps these objects open during a call.
//
// # Batches
//
// A crossing costs as much as twenty work requests, so requests are posted in batches: SendBatch and RecvBatch hold
// an array of them, linked once. A program fills in requests, or changes only what differs from the last time, and posts the
// first n of them, or any range, by one call. What was posted may be changed as soon as the call is back.
//
// A batch, its requests included, belongs to one goroutine at a time. A post of a batch that another goroutine is posting, or
// takes requests from meanwhile, is an error or a panic that says so; two goroutines that only fill in the same request at once
// are seen by the race detector alone, which knows what C reads.
//
// The memory of a batch is Go's, and lasts as long as anybody has the batch or one of its requests. So a closed batch, and a
// request of one, can do no harm: posting is an error, and adding an element is a panic.
//
// Addresses in requests are numbers: nothing here keeps the memory at them alive or in its place. It must be
// registered memory, pinned memory of Go or memory outside Go's heap, until the completion; with the flag Inline until the post is
// back. InlineData copies bytes into the batch, and needs none of that.
//
// An index out of range (a request beyond the batch, one scatter/gather element more than a request has room for) is a
// panic, as it is for slices.
//
// # Waiting
//
// A program that does not poll all the time requests an event (ReqNotify), polls once more, and waits with Channel.Next, which
// sleeps on Go's poller and can be ended by a context. Each event must be acknowledged with Channel.Ack. Async does the same for the events
// of a device, its ports and the objects made from it.
//
// # Errors
//
// Posts and polls return an errno, 0 for success, and never allocate; the caller makes an error of it. When a request was posted and
// fails later, its completion has the status, and WC.Err returns an error.
package dpath
