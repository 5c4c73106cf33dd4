//go:build linux

// Command rdmacard runs programs on the real libibverbs and libmlx5 without an RDMA card: rdmacard run -- ibv_devinfo. docs/card.md of
// verbsgen says what programs see.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/verbsgen/verbsgen/conformance/card"
)

func main() {
	err := command().Execute()
	var status exitStatus
	switch {
	case errors.As(err, &status):
		os.Exit(int(status))
	case err != nil:
		fmt.Fprintln(os.Stderr, "rdmacard:", err)
		os.Exit(1)
	}
}

// exitStatus is how a program ended that did not succeed.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprint("exit status ", int(s)) }

// settings are the flags of all commands.
type settings struct{ dir, devices, libraries string }

func command() *cobra.Command {
	var s settings
	root := &cobra.Command{Use: "rdmacard", Short: "run programs on an emulated RDMA card", SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true}}
	flags := root.PersistentFlags()
	flags.StringVar(&s.dir, "dir", os.Getenv("CARD_WIRE"), "the folder of the card; programs that use the same folder reach each other")
	flags.StringVar(&s.devices, "devices", "", `the number of devices, or a list, as "mlx5,efa" or "mlx5:cx7:ib" (default 2)`)
	flags.StringVar(&s.libraries, "libraries", "", "the folder of the providers' libraries, for a libibverbs that is not installed")
	run := &cobra.Command{Use: "run [flags] -- PROGRAM [ARGUMENT...]", Short: "run a program on the card", Args: cobra.MinimumNArgs(1),
		Example: "  rdmacard run -- ibv_devinfo\n  rdmacard run --devices mlx5,efa -- go test -count=1 ./...",
		RunE:    func(_ *cobra.Command, args []string) error { return s.run(args, nil) }}
	var file, capture string
	log := &cobra.Command{Use: "log [flags] -- PROGRAM [ARGUMENT...]", Args: cobra.MinimumNArgs(1),
		Short: "run a program, and log commands, requests, receives and completions",
		RunE: func(_ *cobra.Command, args []string) error {
			more := []string{"CARD_LOG=" + file}
			if capture != "" {
				if err := os.Remove(capture); err != nil && !errors.Is(err, os.ErrNotExist) {
					return err
				}
				more = append(more, "CARD_PCAP="+capture)
			}
			return s.run(args, more)
		}}
	log.Flags().StringVarP(&file, "output", "o", "/dev/stderr", "the file to which lines are added")
	log.Flags().StringVar(&capture, "pcap", "", "a file for what arrives at queue pairs, as packets of RoCE v2 for Wireshark")
	env := &cobra.Command{Use: "env", Short: "print the variables that put the card below a program, for CI", Args: cobra.NoArgs,
		Long: "env prints the variables that put the card below a program, one on each line, as in\n\n" +
			"  rdmacard env >>$GITHUB_ENV\n  env $(rdmacard env) PROGRAM\n\n" +
			"Without --dir, each env makes a new folder, and says where. It stays: remove it when no program uses it any more.",
		RunE: func(c *cobra.Command, _ []string) error {
			dir := s.dir
			if dir == "" {
				var err error
				if dir, err = os.MkdirTemp("", "rdmacard"); err != nil {
					return err
				}
				fmt.Fprintf(c.ErrOrStderr(), "rdmacard: the card is in the new folder %s; --dir names one to use again\n", dir)
			}
			built, err := s.build(dir)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.OutOrStdout(), strings.Join(built.Variables(), "\n"))
			return err
		}}
	list := &cobra.Command{Use: "list", Short: "list the devices of the card", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return s.with(func(built *card.Card) error { return built.List(c.OutOrStdout()) })
		}}
	var f card.Faults
	fault := &cobra.Command{Use: "fault DEVICE", Args: cobra.ExactArgs(1),
		Short: "inject faults: lost and late requests, a port that is down, a removed device",
		Long: "fault sets the faults of a device, for all programs that use the folder --dir, now or later. They replace those set before;\n" +
			"without flags there are none. A program on the card need not pass --dir.",
		Example: "  rdmacard fault --dir /tmp/card mlx5_0 --lost 0.01 --delay 200us\n  rdmacard fault --dir /tmp/card mlx5_0 --down\n" +
			"  rdmacard fault --dir /tmp/card mlx5_0",
		RunE: func(_ *cobra.Command, args []string) error {
			if s.dir == "" {
				return errors.New("no folder of a card: pass the --dir that the programs run with")
			}
			there, err := card.Open(s.dir)
			if err != nil {
				return err
			}
			return there.SetFaults(args[0], f)
		}}
	fault.Flags().Float64Var(&f.Lost, "lost", 0, "the share of requests that are lost, from 0 to 1")
	fault.Flags().DurationVar(&f.Delay, "delay", 0, "the delay of each request")
	fault.Flags().BoolVar(&f.Down, "down", false, "the port is down")
	fault.Flags().BoolVar(&f.Removed, "removed", false, "the device is gone: each command fails with EIO")
	for _, c := range []*cobra.Command{run, log} {
		c.Flags().SetInterspersed(false)
	}
	root.AddCommand(run, log, env, list, fault)
	return root
}

// with calls f with the card in the folder of --dir, or with one that is gone afterwards.
func (s *settings) with(f func(*card.Card) error) error {
	dir := s.dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "rdmacard"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // list | head: a failed write, so that dir is removed
	}
	built, err := s.build(dir)
	if err != nil {
		return err
	}
	return f(built)
}

// build builds the card that the flags say.
func (s *settings) build(dir string) (*card.Card, error) {
	o := card.Options{Libraries: s.libraries, Log: func(message string) { fmt.Fprintln(os.Stderr, "rdmacard:", message) }}
	if n, err := strconv.Atoi(s.devices); err == nil && n > 0 {
		o.Devices = slices.Repeat([]string{"mlx5"}, n)
	} else if s.devices != "" {
		o.Devices = strings.Split(s.devices, ",")
	}
	return card.Build(dir, o)
}

// run runs a program on the card, with more in its environment.
func (s *settings) run(args, more []string) error {
	program, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	if err := reachable(program); err != nil {
		return err
	}
	return s.with(func(built *card.Card) error {
		return start(program, args, append(built.Environ(os.Environ()), more...))
	})
}

// start runs a program as args, and returns how it ended.
func start(program string, args, environ []string) error {
	// The terminal sends these to the program too, which decides. The program would inherit that they are ignored.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGQUIT)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	cmd := exec.CommandContext(ctx, program, args[1:]...)
	cmd.Args[0] = args[0]
	cmd.Env = environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if how := exit.Sys().(syscall.WaitStatus); how.Signaled() {
		fmt.Fprintf(os.Stderr, "rdmacard: %s: %v\n", args[0], how.Signal())
		return exitStatus(128 + int(how.Signal()))
	}
	return exitStatus(exit.ExitCode())
}
