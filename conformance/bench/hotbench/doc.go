// Package hotbench compares readers of completions and streams of commands with C, through the generated package.
//
// It owns queues that do next to nothing, and the loops in C that do what the Go side does. It must not know how the bindings work.
package hotbench
