//go:build linux

package card

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Faults are the faults of a device. The zero value has none.
type Faults struct {
	Lost    float64       // the share of requests that are lost, from 0 to 1; a retry is lost or not by itself
	Delay   time.Duration // of each request, up to an hour; parts of a microsecond do not count
	Down    bool          // the port is down: nothing is sent or received
	Removed bool          // the device is removed: every command fails with EIO
}

// SetFaults sets the faults of a device, mlx5_0 for example, for all programs on the card, those that run and those that start later. It
// replaces the faults that were set before.
func (c *Card) SetFaults(name string, f Faults) error {
	at := slices.IndexFunc(c.devices, func(d device) bool { return d.name == name })
	if at < 0 {
		var names []string
		for _, d := range c.devices {
			names = append(names, d.name)
		}
		return fmt.Errorf("no device %q on the card of %s, which has %s", name, c.dir, strings.Join(names, ", "))
	}
	if !(f.Lost >= 0 && f.Lost <= 1) || f.Delay < 0 || f.Delay > time.Hour {
		return fmt.Errorf("%v of requests lost, delay %v: want a share from 0 to 1, and at most an hour", f.Lost, f.Delay)
	}
	// struct fault in src/wire/wire.h
	words := []uint32{uint32(f.Lost * 1e6), uint32(f.Delay.Microseconds()), 0, 0}
	if f.Down {
		words[2] = 1
	}
	if f.Removed {
		words[3] = 1
	}
	var b []byte
	for _, w := range words {
		b = binary.NativeEndian.AppendUint32(b, w)
	}
	file, err := os.OpenFile(filepath.Join(c.dir, "devices", faultsName), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.WriteAt(b, int64(at*len(b))); err != nil {
		return err
	}
	files := map[string]string{}
	for file, text := range state(f.Down) {
		files[filepath.Join(c.dir, "devices/sys/class/infiniband", name, "ports/1", file)] = text
	}
	return writeAll(files)
}

const faultsName, faultsSize = "faults", most * 16
