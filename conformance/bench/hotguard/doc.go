// Package hotguard counts the instructions of calls of the hot path, under valgrind: counts are the same on a busy machine, where times are
// not.
//
// It owns queues whose provider does next to nothing, and the marks between which is counted. It must not know how the bindings work.
package hotguard
