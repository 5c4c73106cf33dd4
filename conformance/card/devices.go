//go:build linux

package card

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// most is how many devices there can be (DEVICES in src/base.h).
const most = 16

// model is what a device says that it is. Numbers are those of the PCI registry and of released firmware.
type model struct {
	part, virtual uint32 // PCI device number, and that of its virtual functions
	firmware      [3]int
	speed         int // of a lane, as port attributes have it
	rate          string
	memory        bool // of the device, for programs
}

// models are those of mlx5.
var models = map[string]model{
	"cx4":   {0x1013, 0x1014, [3]int{12, 28, 2006}, 32, "100 Gb/sec (4X EDR)", false},
	"cx4lx": {0x1015, 0x1016, [3]int{14, 32, 1010}, 32, "100 Gb/sec (4X EDR)", false},
	"cx5":   {0x1017, 0x1018, [3]int{16, 35, 1012}, 32, "100 Gb/sec (4X EDR)", true},
	"cx6":   {0x101b, 0x101c, [3]int{20, 35, 1012}, 32, "100 Gb/sec (4X EDR)", true},
	"cx6dx": {0x101d, 0x101e, [3]int{22, 35, 1012}, 32, "100 Gb/sec (4X EDR)", true},
	"cx7":   {0x1021, 0x101e, [3]int{28, 39, 1002}, 128, "400 Gb/sec (4X NDR)", true},
}

// device is one of Options.Devices.
type device struct {
	name, provider string // mlx5_0, mlx5
	model          model
	virtual        bool
	infiniband     bool
	netdev         string // network interface with the addresses of the device
	gids           []int  // where the GIDs are in the table; -1: not there
}

// parse reads Options.Devices.
func parse(devices []string) ([]device, error) {
	if len(devices) > most {
		return nil, fmt.Errorf("%d devices: at most %d", len(devices), most)
	}
	var out []device
	count := map[string]int{}
	for _, text := range devices {
		words := strings.Split(text, ":")
		kind, ok := kinds[words[0]]
		d := device{provider: words[0], model: kind.model}
		if !ok {
			return nil, fmt.Errorf("no provider %q: there are efa and mlx5", d.provider)
		}
		for i := range kind.gids {
			d.gids = append(d.gids, i)
		}
		d.name = fmt.Sprintf("%s_%d", d.provider, count[d.provider])
		count[d.provider]++
		for _, word := range words[1:] {
			if d.provider != "mlx5" {
				return nil, fmt.Errorf("device %q: only devices of mlx5 have options", text)
			}
			if err := d.option(word); err != nil {
				return nil, fmt.Errorf("device %q: %w", text, err)
			}
		}
		if d.infiniband {
			d.gids = d.gids[:1]
		}
		out = append(out, d)
	}
	return out, nil
}

func (d *device) option(word string) error {
	name, value, _ := strings.Cut(word, "=")
	switch name {
	case "ib":
		d.infiniband = true
	case "vf":
		d.virtual = true
	case "net":
		if value == "" || strings.ContainsAny(value, "/ ") || value[0] == '.' {
			return fmt.Errorf("net=%s: want the name of a network interface", value)
		}
		d.netdev = value
	case "gids":
		places := strings.Split(value, ".")
		if len(places) != len(d.gids) {
			return fmt.Errorf("gids=%s: want %d places of the table with a point between them, - for a GID that is not there", value, len(d.gids))
		}
		for i, p := range places {
			n, err := strconv.ParseUint(p, 10, 8)
			if d.gids[i] = int(n); p == "-" {
				d.gids[i] = -1
			} else if err != nil || slices.Contains(d.gids[:i], int(n)) {
				return fmt.Errorf("gids=%s: %s is no free place of the table, which has 0 to 255", value, p)
			}
		}
	default:
		m, ok := models[word]
		if !ok {
			return fmt.Errorf("no option %q: there are ib, vf, net=NAME, gids=0.1.2.3, and the models %s", word,
				strings.Join(slices.Sorted(maps.Keys(models)), ", "))
		}
		d.model = m
	}
	return nil
}

// part is the number of the PCI device.
func (d *device) part() uint32 {
	if d.virtual {
		return d.model.virtual
	}
	return d.model.part
}

// numbers are what CARD_DEVICES says of a device (start_devices in src/base.c).
func (d *device) numbers() string {
	flag := map[bool]int{true: 1}
	fw := d.model.firmware
	text := fmt.Sprintf("%s:%d:%d:%d:%d:%d:%d:%d", d.provider, flag[d.infiniband], flag[!d.model.memory],
		d.part(), fw[0], fw[1], fw[2], d.model.speed)
	for _, at := range append(slices.Clone(d.gids), -1, -1, -1)[:4] {
		text += fmt.Sprint(":", at)
	}
	return text
}
