// Command devinfo prints what rdma-core's ibv_devinfo -v prints: the attributes of devices and ports, and the GIDs.
//
//	devinfo            every device of the machine
//	devinfo -d mlx5_0  one of them
//	devinfo -soft      a device made of software
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/verbsgen/verbsgen/examples/devinfo/devinfo"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// errUsage is a wrong command line, which was told already.
var errUsage = errors.New("wrong use")

func main() {
	err := run(os.Stdout, os.Stderr, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "devinfo:", err)
		os.Exit(1)
	}
}

// run is the command.
func run(stdout, stderr io.Writer, args []string) error {
	f := flag.NewFlagSet("devinfo", flag.ContinueOnError)
	f.SetOutput(stderr)
	name := f.String("d", "", "device (default: all)")
	soft := f.Bool("soft", false, "print a device made of software")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	if f.NArg() > 0 {
		fmt.Fprintf(stderr, "devinfo: argument %q; a device is named by -d\n", f.Arg(0))
		return errUsage
	}
	if !*soft {
		lib, err := verbs.Load()
		if err != nil {
			return err
		}
		return print(stdout, lib, *name)
	}
	s := softverbs.New()
	lib, err := verbs.LoadFrom(s)
	if err == nil {
		err = print(stdout, lib, *name)
	}
	return errors.Join(err, s.Close())
}

// print writes down the device of that name, or all of them.
func print(w io.Writer, lib *verbs.Lib, name string) error {
	list, err := lib.Devices()
	if err != nil {
		return err
	}
	found := false
	for _, info := range list {
		if name == "" || name == info.Name {
			found = true
			if err := one(w, lib, info); err != nil {
				return fmt.Errorf("%s: %w", info.Name, err)
			}
		}
	}
	switch {
	case found:
		return nil
	case name == "":
		return errors.New("the machine has no RDMA device")
	}
	_, err = lib.OpenDevice(name) // says which ones there are
	return err
}

func one(w io.Writer, lib *verbs.Lib, info verbs.DeviceEntry) (err error) {
	dev, err := lib.OpenDevice(info.Name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.CloseAll()) }()
	return devinfo.Write(w, dev, info)
}
