// Command verbsgen reads what rdma-core says about verbs (its header, and its man pages as data) and generates a Go
// package from it; it also says what those facts and rules are.
//
// This package owns the command line: flags, exit codes, and the form of what is printed. What is generated and why
// is decided in cmd/verbsgen/internal.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

func main() {
	collectLess()
	if isVetTool(os.Args[1:]) {
		vetTool()
	}
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// collectLess has the garbage collector run less often: a run is short, and takes half the time with a half more memory.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
