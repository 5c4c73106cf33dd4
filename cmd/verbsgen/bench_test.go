package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// installedHeader is read by a benchmark where it is there.
const installedHeader = "/usr/include/infiniband/verbs.h"

// BenchmarkGenerate runs the command as a user does, a process for each run, into a folder that is up to date. It
// prints milliseconds and the memory at its peak, which are to stay within 400 and 130.
func BenchmarkGenerate(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "verbsgen")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("facts", func(b *testing.B) { benchmarkCommand(b, exe, "generate") })
	b.Run("header", func(b *testing.B) {
		if _, err := os.Stat(installedHeader); err != nil {
			b.Skip(err)
		}
		benchmarkCommand(b, exe, "generate", "--allow-undecided", "--header", installedHeader)
	})
}

func benchmarkCommand(b *testing.B, exe string, args ...string) {
	args = append(args, "-o", b.TempDir())
	var peak int64
	for b.Loop() {
		cmd := exec.Command(exe, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, u.Maxrss*1024)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(time.Millisecond), "ms/generate")
	b.ReportMetric(float64(peak)/1e6, "MB-peak")
}

// BenchmarkBuild is the pipeline alone, in this process, up to the files in memory.
func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := build(newTarget()); err != nil {
			b.Fatal(err)
		}
	}
}
