// Package start has what the examples begin with: the command line, and the device.
package start

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Soft is the name of the software device.
const Soft = "soft0"

// On opens the device of a name, or a software device if the name is empty, for work, which closes it.
func On(name string, work func(*verbs.Device) error, opts ...softverbs.Option) error {
	var lib *verbs.Lib
	var err error
	if name == "" {
		name = Soft
		soft := softverbs.New(append(opts, softverbs.Name(name))...)
		defer soft.Close()
		lib, err = verbs.LoadFrom(soft)
	} else {
		lib, err = verbs.Load()
	}
	if err != nil {
		return err
	}
	dev, err := lib.OpenDevice(name)
	if err != nil {
		return err
	}
	return work(dev)
}

// ErrUsage is a wrong command line, which was reported already.
var ErrUsage = errors.New("wrong use")

// Flags makes the flags of a command, which stderr tells of.
func Flags(name string, stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(stderr)
	return f
}

// Device defines the flag -device.
func Device(f *flag.FlagSet) *string {
	return f.String("device", "", "name of a real device, such as mlx5_0; without it a software device is used")
}

// Parse reads the flags. Its error is ErrUsage, or flag.ErrHelp.
func Parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return ErrUsage
	}
	return err
}

// Wrong reports what is wrong with a command line.
func Wrong(f *flag.FlagSet, problem string) error {
	fmt.Fprintf(f.Output(), "%s: %s\n", f.Name(), problem)
	return ErrUsage
}

// Main is the main function of a command: it ends the process if the command fails. Interrupt and SIGTERM end ctx.
func Main(name string, run func(ctx context.Context, stdout, stderr io.Writer, args []string) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Stderr, os.Args[1:])
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Program is Main of a command that works on the device of its only flag, and closes it.
func Program(name string, work func(ctx context.Context, stdout io.Writer, dev *verbs.Device) error) {
	Main(name, func(ctx context.Context, stdout, stderr io.Writer, args []string) error {
		f := Flags(name, stderr)
		device := Device(f)
		if err := Parse(f, args); err != nil {
			return err
		}
		return On(*device, func(dev *verbs.Device) error { return work(ctx, stdout, dev) })
	})
}
