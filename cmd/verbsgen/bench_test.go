package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// installedHeader is read by a benchmark where it is there.
const installedHeader = "/usr/include/infiniband/verbs.h"

// BenchmarkGenerate runs the command as a user does, a process for each run, into a folder that is up to date, and two others that should
// not keep anybody waiting. It reports medians: the milliseconds of a run, which depend on what else the machine does, those of processor
// time, and the memory at its peak. Run it with -benchtime 1x.
func BenchmarkGenerate(b *testing.B) {
	exe := filepath.Join(b.TempDir(), "verbsgen")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("facts", func(b *testing.B) { benchmarkCommand(b, exe, "generate", "-o", b.TempDir()) })
	b.Run("header", func(b *testing.B) {
		if _, err := os.Stat(installedHeader); err != nil {
			b.Skip(err)
		}
		benchmarkCommand(b, exe, "generate", "--allow-undecided", "--header", installedHeader, "-o", b.TempDir())
	})
	b.Run("rules", func(b *testing.B) { benchmarkCommand(b, exe, "rules", "*") })
	b.Run("explain", func(b *testing.B) {
		benchmarkCommand(b, exe, "explain", "ibv_query_pkey", "port_num=1", "index=-1")
	})
}

func benchmarkCommand(b *testing.B, exe string, args ...string) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	const rounds = 11
	var times, cpu, peak []float64
	for range rounds {
		cmd := exec.Command(exe, args...)
		cmd.Dir = b.TempDir() // in a clone, the command compares its pages with those there
		begin := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		times = append(times, time.Since(begin).Seconds()*1e3)
		cpu = append(cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e3)
		if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = append(peak, float64(u.Maxrss)*1024/1e6)
		}
	}
	b.ReportMetric(0, "ns/op")
	for unit, all := range map[string][]float64{"ms": times, "cpu-ms": cpu, "MB-peak": peak} {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], unit)
	}
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
