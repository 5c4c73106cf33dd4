//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeMachine puts an emulator that is a shell script, and a busybox that is nothing, before the real ones. The script finds
// the shared folder in $out.
func fakeMachine(t *testing.T, script string) (*image, string) {
	t.Helper()
	dir, img, out := t.TempDir(), &image{dir: t.TempDir(), release: "0.0-fake"}, t.TempDir()
	script = "#!/bin/sh\nout=" + quote(out) + "\n" + script + "\n"
	write(t, filepath.Join(dir, "qemu-system-x86_64"), script, 0o755)
	write(t, filepath.Join(dir, "busybox"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(img.dir, fileModules), "modules", 0o644)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return img, out
}

func write(t *testing.T, path, text string, perm os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

// TestStatus boots guests that end in every way there is, and checks what the run answers.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		name, script string
		limit        time.Duration
		status       int
		says         []string
	}{
		{"passed", "echo fine >$out/jobs/00/output; echo 0 >$out/jobs/00/status", time.Minute, 0, []string{"fine"}},
		{"status of the command", "echo 7 >$out/jobs/00/status", time.Minute, 7, nil},
		{"log", "printf 'boot\nverbsgen: jobs begin\nan oops\n' >$out/dmesg; echo 1 >$out/jobs/00/status", time.Minute, 1, []string{"an oops"}},
		{"died",
			"[ -e $out/again ] && echo 0 >$out/jobs/00/status; touch $out/again; echo devices >$out/stage; echo 'Kernel panic' " +
				">$out/console", time.Minute, statusDied, []string{"devices", "Kernel panic"}},
		{"dies once in its boot",
			"[ -e $out/again ] || { touch $out/again; echo 'Kernel panic' >$out/console; exit 0; }; echo 0 >$out/jobs/00/status",
			time.Minute, 0,
			[]string{"once more", "Kernel panic"}},
		{"emulator fails", "echo 'no such machine' >&2; exit 1", time.Minute, statusDied, []string{"no such machine"}},
		{"not set up", "echo 'failed: rdma link add' >$out/stage", time.Minute, statusDied, []string{"rdma link add"}},
		{"limit", "echo 00 >$out/stage; exec sleep 100", time.Second, statusLimit, []string{"time limit of 1s", "it was at: true"}},
		{"ends with the limit, but has all", "echo 0 >$out/jobs/00/status; exec sleep 100", time.Second, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			img, out := fakeMachine(t, c.script)
			o := &options{root: "/", command: []string{"true"}, out: out, limit: c.limit, accel: "tcg", memory: 256, cpus: 1}
			var told strings.Builder
			if got := test(context.Background(), o, img, newProgress(&told), &told); got != c.status {
				t.Errorf("status %d, want %d\n%s", got, c.status, &told)
			}
			for _, s := range c.says {
				if !strings.Contains(told.String(), s) {
					t.Errorf("does not say %q:\n%s", s, &told)
				}
			}
		})
	}
}

// TestInterrupted stops a guest from outside.
func TestInterrupted(t *testing.T) {
	img, out := fakeMachine(t, "exec sleep 100")
	o := &options{root: "/", command: []string{"true"}, out: out, limit: time.Minute, accel: "tcg", memory: 256, cpus: 1}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var told strings.Builder
	if got := test(ctx, o, img, newProgress(&told), &told); got != statusDied || !strings.Contains(told.String(), "interrupted") {
		t.Errorf("status %d\n%s", got, &told)
	}
}

// TestProbe chooses KVM only where a boot with it comes through, and asks once.
func TestProbe(t *testing.T) {
	img, _ := fakeMachine(t, `for a in "$@"; do case $a in file:*) echo "the trial boot came through" >"${a#file:}";; esac; done`)
	if !probeKVM(context.Background(), img) {
		t.Error("a boot that came through does not count")
	}
	img, _ = fakeMachine(t, "exit 0")
	if probeKVM(context.Background(), img) {
		t.Error("a boot that did nothing counts")
	}
	img, _ = fakeMachine(t, "echo 'the trial boot came through'; exit 1")
	if probeKVM(context.Background(), img) {
		t.Error("a failed boot counts")
	}
}

// TestArguments looks for what must be on qemu's command line.
func TestArguments(t *testing.T) {
	g := &guest{image: &image{dir: "/k"}, root: "/", out: "/a,b", accel: "tcg", memory: 512, cpus: 3}
	line := strings.Join(g.arguments("/i"), " ")
	for _, s := range []string{"-accel tcg,thread=multi", "-smp 3", "-m 512",
		"path=/,mount_tag=root,security_model=none,multidevs=remap,readonly=on",
		"path=/a,,b,mount_tag=out", "-kernel /k/vmlinuz", "-initrd /i", "-no-reboot"} {
		if !strings.Contains(line, s) {
			t.Errorf("no %q in %s", s, line)
		}
	}
}
