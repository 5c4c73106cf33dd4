// Package dpath is the data path: it posts work requests (ibv_post_send(3), ibv_post_recv(3)), polls completions (ibv_poll_cq(3)) and
// waits for them (ibv_get_cq_event(3)), at about the speed of C. It also waits for the events of a device (ibv_get_async_event(3)).
//
// It owns the memory in which work requests are built, the layouts of struct ibv_send_wr, ibv_recv_wr, ibv_sge and ibv_wc in Go, and the
// calls into C. It must not know how queues are made or destroyed, nor any generated package: it gets gates of C objects (package
// gate). A call on a closed object returns fail.ErrnoClosed, and a Close waits for calls that use the object.
//
// # Batches
//
// A call into C costs as much as twenty work requests, so requests are posted in batches. A SendBatch or RecvBatch has an array of
// requests. A program fills in requests, or changes only what differs from the last time, and posts the first n of them, or any
// range, with one call. Requests may be changed as soon as the post has returned.
//
// A batch and its requests belong to one goroutine at a time. A post while another goroutine posts the batch is refused (EBUSY) and posts
// nothing, and the other post goes on as if it were alone; a copy of the batch by value is the same batch. To take a request while another
// goroutine posts is a panic, if it is noticed. If two goroutines only fill in the same request, just the race detector reports
// it; it also knows which memory C reads. Only Close may be called by another goroutine: it does not wait for a post, and the post
// goes on. A later post returns fail.ErrnoBatchClosed.
//
// The memory of a batch is on Go's heap and exists as long as the batch or one of its requests is referenced. So requests of a closed
// batch do no harm. Adding an element to one is a panic.
//
// Addresses in requests are numbers: nothing here keeps the memory alive or in its place. Until the completion (of an inline
// request: until the post has returned) it must be registered memory, pinned Go memory or memory outside Go's heap. InlineData copies
// bytes into the batch and needs none of that. The elements of a request with IBV_SEND_INLINE are read by the processor during the post,
// and nothing looks at their addresses before: where no memory is, that ends the program (with softverbs, the post returns EFAULT).
//
// An index out of range (a request beyond the batch, or more scatter/gather elements than a request has room for) is a panic, as it
// is for slices.
//
// A program that posts and polls in turns saves a call by PostAndPoll.
//
// # Waiting
//
// A program that does not poll all the time requests an event (ReqNotify), polls once more, and waits with Channel.Next, which
// sleeps on Go's poller and can be ended by a context. Each event must be acknowledged with Channel.Ack. Async does the same for the events
// of a device, its ports and the objects made from it. A HeldCQEvent or HeldAsyncEvent is such an event with the handle that it is about,
// which stays open until Done acknowledges it. Sleepers share the events of a queue.
//
// # Readers and streams
//
// Generated readers and streams call functions in the C object of a queue, some of which are there only if the queue was asked for them
// when it was made (Asked). An Answer and a Stream are what Go and their C sides share.
//
// # Errors
//
// Posts and polls return an errno, 0 for success, and never allocate; the caller makes an error of it. When a request was posted and
// fails later, its completion has the status, and WC.Err returns an error.
package dpath

//go:generate go test ../../../cmd/verbsgen/internal/gogen -run TestCheckedIn -update
