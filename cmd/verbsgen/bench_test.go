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
// prints milliseconds, which are to stay within 250 on two processors without other work, and the memory at its peak.
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

// BenchmarkPeers compares the CPU time of reading the installed header with that of castxml and bindgen, where these are installed: a
// process of each in turn. The metrics are ratios of sums; inventory reads the header for two architectures.
func BenchmarkPeers(b *testing.B) {
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
	for b.Loop() {
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
