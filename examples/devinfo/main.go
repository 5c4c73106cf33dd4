// Command devinfo prints what rdma-core's ibv_devinfo -v prints: the attributes of devices and ports, and the GIDs.
//
//	devinfo            every device of the machine
//	devinfo -d mlx5_0  one of them
//	devinfo -soft      a device made of software
package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/verbsgen/verbsgen/examples/devinfo/devinfo"
	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func main() { start.Main("devinfo", run) }

// run is the command.
func run(_ context.Context, stdout, stderr io.Writer, args []string) error {
	f := start.Flags("devinfo", stderr)
	name := f.String("d", "", "device (default: all)")
	soft := f.Bool("soft", false, "print a device made of software")
	if err := start.Parse(f, args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return start.Wrong(f, fmt.Sprintf("argument %q; a device is named by -d", f.Arg(0)))
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
