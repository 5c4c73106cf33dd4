package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// BenchmarkPeers compares the CPU time of reading the installed header with that of castxml and bindgen, where these are installed: a
// process of each in turn. The metrics are ratios of sums; inventory reads the header for two architectures. Run it with -benchtime 1x.
func BenchmarkPeers(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	if _, err := os.Stat(installedHeader); err != nil {
		b.Skip(err)
	}
	exe := filepath.Join(b.TempDir(), "verbsgen")
	if out, err := exec.Command("go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	dir := b.TempDir()
	peers := map[string][]string{
		"castxml": {"--castxml-output=1", "-o", filepath.Join(dir, "verbs.xml"), installedHeader},
		"bindgen": {installedHeader, "-o", filepath.Join(dir, "verbs.rs")},
	}
	if include, err := exec.Command("gcc", "-print-file-name=include").Output(); err == nil { // where clang is not there to bring stddef.h
		peers["bindgen"] = append(peers["bindgen"], "--", "-isystem", strings.TrimSpace(string(include)))
	}
	for name := range peers {
		if _, err := exec.LookPath(name); err != nil {
			b.Logf("%s is not installed", name)
			delete(peers, name)
		}
	}
	if len(peers) == 0 {
		b.Skip("nothing to compare with")
	}
	cpu := map[string]time.Duration{}
	take := func(name, exe string, args ...string) {
		cmd := exec.Command(exe, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		cpu[name] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	const rounds = 5
	for range rounds {
		take("inventory", exe, "inventory", "--json", "--header", installedHeader)
		take("generate", exe, "generate", "--allow-undecided", "--header", installedHeader, "-o", filepath.Join(dir, "verbs"))
		for name, args := range peers {
			take(name, name, args...)
		}
	}
	for name := range peers {
		for _, ours := range []string{"inventory", "generate"} {
			b.ReportMetric(float64(cpu[ours])/float64(cpu[name]), ours+"/"+name)
		}
	}
}
