//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Statuses beside those of the command.
const (
	statusUsage  = 2
	statusNotRun = 123
	statusLimit  = 124
	statusDied   = 125
)

// options is the command line.
type options struct {
	kernel   string
	packages []string
	race     bool
	accel    string
	root     string
	rdma     string // release of rdma-core in a root made for it
	out      string
	limit    time.Duration
	memory   int
	cpus     int
	mirror   string
	verbose  bool
	setup    bool
	args     map[string][]string // of one package's test binary
	command  []string            // after --: what to run, or with packages the arguments of every test binary
}

func main() {
	widenPath()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	status := run(ctx, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	os.Exit(status)
}

// parse reads the command line.
func parse(stderr io.Writer, args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("vm", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, "usage: vm [flags] -packages PKG,... [-args PKG=FLAGS]... [-- FLAGS OF ALL]\n       vm [flags] -- COMMAND [ARGS]\n")
		f.PrintDefaults()
	}
	f.StringVar(&o.kernel, "kernel", "6.1", "kernel to boot: "+strings.Join(kernels, ", "))
	packages := f.String("packages", "", "test packages to build and run, separated by commas")
	o.args = map[string][]string{}
	f.Func("args", "`PKG=FLAGS`: flags for the test binary of one of the packages, separated by spaces; may be repeated",
		func(s string) error {
			pkg, flags, ok := strings.Cut(s, "=")
			if !ok || pkg == "" {
				return errors.New("pass PKG=FLAGS")
			}
			o.args[pkg] = append(o.args[pkg], strings.Fields(flags)...)
			return nil
		})
	f.BoolVar(&o.race, "race", false, "build the tests with the race detector")
	f.StringVar(&o.accel, "accel", "auto", "auto (KVM where a trial boot with it succeeds), tcg or kvm")
	f.StringVar(&o.root, "root", "/", "root of the guest, read-only: another than this machine's, such as debootstrap makes")
	f.StringVar(&o.rdma, "rdma", "",
		"release of rdma-core in the guest, as Debian has it: its root is made of packages (default: what -root has)")
	f.StringVar(&o.out, "out", "",
		"folder for everything that comes out of the guest (default: a temporary one, whose name is told at the end)")
	f.DurationVar(&o.limit, "time", 10*time.Minute, "limit from boot to power-off")
	f.IntVar(&o.memory, "memory", 1024, "memory of the guest in MiB")
	f.IntVar(&o.cpus, "cpus", 2, "processors of the guest")
	f.StringVar(&o.mirror, "mirror", "", "Debian mirror for kernels (default: the one in this machine's apt configuration)")
	f.BoolVar(&o.verbose, "v", false, "show the output of passing tests too")
	f.BoolVar(&o.setup, "setup", false, "set up only: packages and kernel")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.command = f.Args()
	root, err := filepath.Abs(o.root)
	if err != nil {
		return nil, err
	}
	o.root = root
	if *packages != "" {
		o.packages = strings.Split(*packages, ",")
	}
	for pkg := range o.args {
		if !slices.Contains(o.packages, pkg) {
			return nil, fmt.Errorf("-args %s=…: it is none of -packages %s", pkg, *packages)
		}
	}
	switch {
	case !slices.Contains(kernels, o.kernel):
		return nil, fmt.Errorf("no kernel %q; known: %s", o.kernel, strings.Join(kernels, ", "))
	case !slices.Contains([]string{"auto", "tcg", "kvm"}, o.accel):
		return nil, fmt.Errorf("-accel %q; pass auto, tcg or kvm", o.accel)
	case o.rdma != "" && o.root != "/":
		return nil, errors.New("-rdma makes a root; pass it or -root")
	case o.memory < 256 || o.cpus < 1 || o.limit < time.Second:
		return nil, errors.New("-memory is at least 256, -cpus 1, -time 1s")
	case !o.setup && len(o.packages) == 0 && len(o.command) == 0:
		return nil, errors.New("nothing to run; pass -packages PKG,... or -- COMMAND")
	}
	return o, nil
}

// run is the command: it gives the exit status.
func run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	o, err := parse(stderr, args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(stderr, "vm:", err)
		return statusUsage
	}
	say := newProgress(stderr)
	defer say.clear()
	img, err := prepare(ctx, o, say)
	if err != nil {
		return notRun(say, err)
	}
	if o.setup {
		say.line("kernel %s is in %s", img.release, img.dir)
		return 0
	}
	return test(ctx, o, img, say, stdout)
}

// prepare makes sure that everything a boot needs is there.
func prepare(ctx context.Context, o *options, say *progress) (*image, error) {
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	if o.rdma != "" {
		if o.root, err = releaseRoot(ctx, cache, o.rdma, say); err != nil {
			return nil, err
		}
	}
	if o.root == "/" {
		err = needPackages(ctx, slices.Concat(hostPackages, guestPackages), say)
	} else {
		err = errors.Join(needPackages(ctx, hostPackages, say), needInRoot(o.root, guestPackages))
	}
	if err != nil {
		return nil, err
	}
	return kernelImage(ctx, cache, o.kernel, o.mirror, say)
}

// notRun says that nothing was tested, so that nobody takes it for a pass.
func notRun(say *progress, err error) int {
	required := os.Getenv("VERBS_REQUIRE_DEVICE") == "1"
	status, then := 0, "This counts as passed, as VERBS_REQUIRE_DEVICE is not 1."
	if required {
		status, then = statusNotRun, "This counts as failed, as VERBS_REQUIRE_DEVICE is 1."
	}
	bar := strings.Repeat("=", 80)
	say.line("NOT RUN\n%s\n==== NOT RUN: NO TEST MET A KERNEL DEVICE\n%v\n==== %s\n%s", bar, err, then, bar)
	return status
}

// test boots one guest for all binaries and reports.
func test(ctx context.Context, o *options, img *image, say *progress, stdout io.Writer) int {
	out, err := outFolder(o.out)
	if err != nil {
		say.line("%v", err)
		return statusUsage
	}
	jobs, err := makeJobs(ctx, o, out, say)
	if err != nil {
		say.line("%v", err)
		return 1
	}
	accel := chooseAccel(ctx, o.accel, img, say)
	g := &guest{image: img, root: o.root, out: out, accel: accel, memory: o.memory, cpus: o.cpus, limit: o.limit, jobs: jobs}
	if len(o.packages) == 0 || o.verbose {
		g.follow = stdout
	}
	began := time.Now()
	end := g.boot(ctx, say)
	if end == endDied && g.booting() { // a kernel may find its timer dead on a busy machine
		say.line("the guest died before it had booted; once more. %s", g.why())
		end = g.boot(ctx, say)
	}
	status := report(o, g, end, say, stdout)
	say.line("kernel %s (%s): status %d after %.1f s; the emulator took %.1f s of processor time",
		img.release, accel, status, time.Since(began).Seconds(), g.spent.Seconds())
	if status == 0 { // what is large and can be built again
		if err := os.RemoveAll(filepath.Join(out, "bin")); err != nil {
			say.line("%v", err)
		}
	}
	say.line("what came out of the guest is in %s", out)
	return status
}

// outFolder returns the absolute path of the folder that the guest may write.
func outFolder(asked string) (string, error) {
	if asked == "" {
		return os.MkdirTemp("", "verbsgen-vm-")
	}
	return emptyFolder(asked)
}
