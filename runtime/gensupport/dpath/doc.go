// Package dpath is the data path: it posts work requests (ibv_post_send(3), ibv_post_recv(3)), polls completions (ibv_poll_cq(3)) and
// waits for them (ibv_get_cq_event(3)), at about the speed of C. It also waits for the events of a device (ibv_get_async_event(3)).
//
// It owns the memory in which work requests are built, the Go layouts of struct ibv_send_wr, ibv_recv_wr, ibv_sge and ibv_wc, and the
// calls into C. It must not know how queues are created or destroyed, nor any generated package: it gets gates of C objects (package
// gate). A call on a closed object returns fail.ErrnoClosed, and Close waits for calls that use the object.
//
// # Batches
//
// A call into C costs as much as twenty work requests, so requests are posted in batches. A SendBatch or RecvBatch is an array of
// requests. A program fills in requests, or changes only what differs from the last time, and posts the first n of them, or any
// range, with one call. It may change them again as soon as the post has returned. PostAndPoll saves a call for programs that post
// and poll in turns.
//
// One goroutine at a time may use a batch and its requests. If two goroutines post the same batch, the second post returns EBUSY and
// posts nothing; the first is not disturbed. A copy of a batch by value is the same batch. Taking a request of a batch while another
// goroutine posts the batch panics, if it is noticed. Only the race detector notices two goroutines that fill in one request. Any
// goroutine may call Close, which does not wait for a running post. A later post returns fail.ErrnoBatchClosed.
//
// The memory of a batch is on Go's heap and stays as long as the batch or one of its requests is referenced. So a program may still write
// to requests of a closed batch, except that adding an element panics. An index out of range panics as for slices: a request beyond
// the batch, or more scatter/gather elements than a request has room for.
//
// Addresses in requests are numbers, which keep no memory alive. Until the completion, they must point to registered memory that Go's
// runtime does not move or free: pinned Go memory, or memory outside Go's heap. InlineData copies bytes into the batch and needs neither.
// For a request with IBV_SEND_INLINE, the processor reads the elements during the post, and the memory may be reused after it.
// If no memory is mapped at such an address, the post returns EFAULT.
//
// # Waiting
//
// A program that does not poll all the time requests an event (ReqNotify), polls once more, and waits with Events.Next. Next sleeps
// in Go's poller until an event comes or the context ends. Channel.Ack acknowledges the event, as each one must be. Async does the same
// for the events of a device, its ports and the objects made from it. A HeldCQEvent or HeldAsyncEvent also holds the handle that the
// event is about open until Done acknowledges the event. Goroutines that sleep on one queue share its events (Sleepers).
//
// # Readers and streams
//
// Generated readers and streams call functions that the C object of a queue holds. The object has some of them only if the program asked
// for them when it created the queue (Asked). Go shares an Answer with the C side of a reader, and a Stream with the C side of a stream.
//
// # Errors
//
// Posts and polls return an errno, 0 for success, and never allocate; the caller turns the errno into an error. If a request fails after
// it was posted, its completion carries the status, and WC.Err returns an error.
package dpath

//go:generate go test ../../../cmd/verbsgen/internal/gogen -run TestCheckedIn -update
