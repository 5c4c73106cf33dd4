//go:build linux

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed guest.sh
var guestScript []byte

// guest is one boot with all its jobs.
type guest struct {
	image  *image
	root   string // shared read-only
	out    string // folder shared read-write
	accel  string
	memory int // MiB
	cpus   int
	limit  time.Duration
	jobs   []*job
	follow io.Writer     // gets the output of the jobs as it comes; may be nil
	spent  time.Duration // processor time of the emulator in all boots
}

// ending says how a boot ended.
type ending int

const (
	endDone        ending = iota // every job has a status
	endDied                      // the guest stopped before that
	endLimit                     // the time was up
	endInterrupted               // a person stopped it
)

// What makes an emulated guest faster. The emulator does string instructions byte by byte, so that the kernel (clearcpuid: REP_GOOD,
// ERMS, FSRM) and libc are not to clear and copy pages with them; tables of pages of five levels (LA57) take longer to walk than those of
// four; and each look at a clock that is not the TSC leaves the emulated code, while the TSC is the host's.
const (
	emulatedCPU    = "max,-erms,-fsrm,-la57"
	emulatedParams = "clearcpuid=112,297,580 tsc=reliable clocksource=tsc"
)

// arguments returns qemu's command line: no device but what is named, so that nothing depends on the machine's setup.
func (g *guest) arguments(initrd string) []string {
	share := func(tag, path, more string) string {
		return "local,path=" + strings.ReplaceAll(path, ",", ",,") + ",mount_tag=" + tag + ",security_model=none,multidevs=remap" + more
	}
	accel, cpu := g.accel, "max"
	params := "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check" // the check of the timer fails on busy machines
	if accel == "tcg" {
		accel, cpu, params = "tcg,thread=multi", emulatedCPU, params+" "+emulatedParams
	}
	return []string{
		"-accel", accel, "-cpu", cpu, "-smp", strconv.Itoa(g.cpus), "-m", strconv.Itoa(g.memory),
		"-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-serial", "file:" + filepath.Join(g.out, "console"),
		"-kernel", filepath.Join(g.image.dir, fileKernel), "-initrd", initrd,
		"-virtfs", share("root", g.root, ",readonly=on"), "-virtfs", share("out", g.out, ""),
		"-append", params,
	}
}

// boot runs the guest until it powers off.
func (g *guest) boot(ctx context.Context, say *progress) ending {
	work, err := os.MkdirTemp("", "verbsgen-initrd-")
	if err != nil {
		say.line("%v", err)
		return endDied
	}
	defer os.RemoveAll(work)
	initrd := filepath.Join(work, "initrd")
	if err := errors.Join(writeInitrd(initrd, g.image, initScript),
		os.WriteFile(filepath.Join(g.out, "guest.sh"), guestScript, 0o644)); err != nil {
		say.line("%v", err)
		return endDied
	}
	limited, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	stop := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		g.watch(stop, say)
	}()
	said, spent, err := runQEMU(limited, g.arguments(initrd))
	g.spent += spent
	close(stop)
	<-watched
	say.clear()
	switch {
	case g.finished():
		return endDone
	case ctx.Err() != nil:
		return endInterrupted
	case limited.Err() != nil:
		return endLimit
	}
	if err != nil {
		say.line("%v\n%s", err, lastLines(said, 10))
	}
	return endDied
}

// runQEMU runs the emulator, which dies with this process, and gives what it said and the processor time that it took.
func runQEMU(ctx context.Context, args []string) (said string, spent time.Duration, err error) {
	runtime.LockOSThread() // the death signal is tied to the thread
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, "qemu-system-x86_64", args...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	if s := cmd.ProcessState; s != nil {
		spent = s.UserTime() + s.SystemTime()
	}
	return text.String(), spent, err
}

// finished reports whether every job has a status.
func (g *guest) finished() bool {
	for _, j := range g.jobs {
		if _, ok := j.status(); !ok {
			return false
		}
	}
	return true
}

// watch shows what goes on until stop is closed, and then the rest.
func (g *guest) watch(stop <-chan struct{}, say *progress) {
	began := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	at := make([]int64, len(g.jobs))
	for {
		last := false
		select {
		case <-stop:
			last = true
		case <-tick.C:
		}
		for i, j := range g.jobs {
			if g.follow != nil {
				say.clear()
				at[i] += copyFrom(g.follow, j.file("output"), at[i])
			}
		}
		if last {
			return
		}
		say.status("kernel %s: %s, %.0f s", g.image.release, g.stage(), time.Since(began).Seconds())
	}
}

// copyFrom copies what a growing file holds beyond an offset.
func copyFrom(w io.Writer, path string, from int64) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0
	}
	n, _ := io.Copy(w, f) // what could not be copied now comes with the next tick
	return n
}

// stage says what the guest is doing.
func (g *guest) stage() string {
	text, err := os.ReadFile(filepath.Join(g.out, "stage"))
	if err != nil {
		return "booting"
	}
	stage := strings.TrimSpace(string(text))
	for _, j := range g.jobs {
		if filepath.Base(j.dir) == stage {
			return j.name + " " + j.running()
		}
	}
	return stage
}

// booting reports whether the guest has not come to its first stage.
func (g *guest) booting() bool {
	_, err := os.Stat(filepath.Join(g.out, "stage"))
	return os.IsNotExist(err)
}

// why returns what is known about a guest that ended too early.
func (g *guest) why() string {
	console, err := os.ReadFile(filepath.Join(g.out, "console"))
	if err != nil {
		return fmt.Sprintf("it was at: %s; no console: %v", g.stage(), err)
	}
	return fmt.Sprintf("it was at: %s; the end of its console:\n%s", g.stage(), lastLines(string(console), 40))
}

// log returns what the kernel logged after the guest was set up.
func (g *guest) log() string {
	text, err := os.ReadFile(filepath.Join(g.out, "dmesg"))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(text), "verbsgen: jobs begin\n")
	return after
}
