// Package hotguard counts the instructions of calls of the hot path, under valgrind: counts are the same on a busy machine, where times are
// not.
//
// It owns queues whose provider does next to nothing, and the marks between which is counted. It must not know how the bindings work.
//
// With 64 requests a post, C has 40 instructions for each request, 21 of them in the driver. A stream has 45 to replay a request and,
// before that, 25 to build it, 22 to change it or 21 to advance it. A post adds 605: 315 in the Go runtime, 115 in C and 175 in Go.
// PostSend adds 550.
//
// Designs of streams that were measured and left out: records of 64 bytes, and a loop in C for requests of one opcode and one element
// (.98 of the loop in C where the replay then took 1.1: the form of the records is worth a tenth at most, and PostSend needs the
// layout of struct ibv_send_wr); adding the stride in C while replaying (1.28 at 64 where Advance and a post take 1.5, but C would
// write to requests, which the race detector does not see). Of Advance: a loop over the elements of each request takes 35
// instructions, one element as a case of its own 24, and with the test for inline data once for a batch 21, as now. Without #cgo
// noescape and nocallback a call has 233 instructions more.
package hotguard
