//go:build linux

package card

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// most is how many devices there can be (DEVICES in src/base.h).
const most = 16

// kinds are what the device of a provider says in /sys.
var kinds = map[string]struct {
	vendor, device, modalias, driver, node string
	gids                                   int // entries of the GID table that are not empty, as in its struct provider
	files                                  map[string]string
}{
	"mlx5": {"0x15b3", "0x101b", "pci:v000015B3d0000101Bsv000015B3sd00000007bc02sc07i00", "/sys/bus/pci/drivers/mlx5_core", "1: CA", 4,
		map[string]string{"fw_ver": "20.35.1012", "board_id": "MT_0000000222", "hca_type": "MT4123"}},
	"efa": {"0x1d0f", "0xefa1", "pci:v00001D0Fd0000EFA1sv00001D0Fsd0000EFA1bc02sc00i00", "/sys/bus/pci/drivers/efa", "7: unspecified", 1, nil},
}

// makeTree makes what libibverbs and its providers read of /sys, in a folder for SYSFS_PATH. The numbers agree with those of src: device
// numbers with src/libc/file.c, GUIDs with src/mlx5/attributes.c, GIDs with src/uverbs/gid.c.
func makeTree(root string, providers []string) error {
	if len(providers) > most {
		return fmt.Errorf("%d devices: at most %d", len(providers), most)
	}
	files := map[string]string{filepath.Join(root, "class/infiniband_verbs/abi_version"): "6"}
	all := names(providers)
	for i, provider := range providers {
		kind, ok := kinds[provider]
		if !ok {
			return fmt.Errorf("no provider %q: there are efa and mlx5", provider)
		}
		name := all[i]
		add := func(dir string, content map[string]string) {
			for file, text := range content {
				files[filepath.Join(root, dir, file)] = text
			}
		}
		char := fmt.Sprintf("uverbs%d", i)
		verbs := map[string]string{"ibdev": name, "dev": fmt.Sprintf("231:%d", 192+i), "abi_version": "1"}
		pci := fmt.Sprintf("devices/pci0000:00/0000:%02x:00.0", 3+i)
		device, class := filepath.Join(pci, "infiniband", name), filepath.Join("class/infiniband", name)
		add(filepath.Join("class/infiniband_verbs", char), verbs)
		add(filepath.Join(pci, "infiniband_verbs", char), verbs)
		add(pci, map[string]string{
			"emulated": "6.1", // for reports
			"modalias": kind.modalias, "vendor": kind.vendor, "device": kind.device, "class": "0x020000", "numa_node": "-1",
			"current_link_width": "16", "current_link_speed": "16.0 GT/s PCIe", "max_link_width": "16", "max_link_speed": "16.0 GT/s PCIe",
		})
		add(device, kind.files)
		add(device, map[string]string{
			"node_type": kind.node, "node_guid": fmt.Sprintf("9803:9b03:0001:%04x", i), "sys_image_guid": "9803:9b03:0001:0000",
		})
		add(filepath.Join(device, "ports/1"), port(i, kind.gids))
		for _, link := range [][2]string{{kind.driver, filepath.Join(pci, "driver")}, {"../..", filepath.Join(device, "device")},
			{filepath.Join("../..", device), class}} {
			at := filepath.Join(root, link[1])
			if err := firstError(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(link[0], at)); err != nil {
				return err
			}
		}
	}
	return writeAll(files)
}

// names are those of devices: mlx5_0, mlx5_1.
func names(providers []string) (out []string) {
	count := map[string]int{}
	for _, p := range providers {
		out = append(out, fmt.Sprintf("%s_%d", p, count[p]))
		count[p]++
	}
	return out
}

func writeAll(files map[string]string) error {
	for path, text := range files {
		if err := firstError(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text+"\n"), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// port is the folder of the port of device number i, with so many GIDs.
func port(i, gids int) map[string]string {
	out := map[string]string{
		"pkeys/0": "0xffff", "state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "100 Gb/sec (4X EDR)", "link_layer": "Ethernet",
		"lid": "0x0", "lid_mask_count": "0", "sm_lid": "0x0", "sm_sl": "0", "cap_mask": "0x04010000",
	}
	for _, name := range []string{"excessive_buffer_overrun_errors", "link_downed", "link_error_recovery", "local_link_integrity_errors",
		"port_rcv_data", "port_rcv_errors", "port_rcv_packets", "port_xmit_data", "port_xmit_discards", "port_xmit_packets",
		"port_xmit_wait", "symbol_error"} {
		out["counters/"+name] = "0" // nothing is counted
	}
	for k := range 256 {
		gid := "0000:0000:0000:0000:0000:0000:0000:0000"
		switch {
		case k >= gids:
		case k < 2:
			gid = fmt.Sprintf("fe80:0000:0000:0000:9a03:9bff:fe00:%04x", i+1)
		case k < 4:
			gid = fmt.Sprintf("0000:0000:0000:0000:0000:ffff:c0a8:4d%02x", i+1)
		}
		out[fmt.Sprintf("gids/%d", k)] = gid
		if k < gids {
			out[fmt.Sprintf("gid_attrs/types/%d", k)] = []string{"IB/RoCE v1", "RoCE v2"}[k%2]
			out[fmt.Sprintf("gid_attrs/ndevs/%d", k)] = "lo"
		}
	}
	return out
}

// List writes a table of the devices.
func (c *Card) List(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "DEVICE\tTYPE\tGUID\tPORT\tGIDS")
	for i, name := range names(c.devices) {
		at := filepath.Join(c.dir, "devices/sys/class/infiniband", name)
		read := func(file string) string {
			text, _ := os.ReadFile(filepath.Join(at, file)) // efa has no type
			return strings.TrimSpace(string(text))
		}
		_, state, _ := strings.Cut(read("ports/1/state"), " ")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s, %s\t", name, cmp.Or(read("hca_type"), c.devices[i]), read("node_guid"), state, read("ports/1/link_layer"))
		for k := range 256 {
			if gid, err := netip.ParseAddr(read(fmt.Sprint("ports/1/gids/", k))); err == nil && !gid.IsUnspecified() {
				fmt.Fprintf(w, "%d: %v (%s) ", k, gid, read(fmt.Sprint("ports/1/gid_attrs/types/", k)))
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
