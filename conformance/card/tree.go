//go:build linux

package card

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
)

// kinds are what the device of a provider says in /sys.
var kinds = map[string]struct {
	vendor, modalias, driver, node string
	model                          model // without an option
	gids                           int   // entries of the GID table that are not empty, as in its struct provider
}{
	"mlx5": {"0x15b3", "pci:v000015B3d%08Xsv000015B3sd00000007bc02sc07i00", "/sys/bus/pci/drivers/mlx5_core", "1: CA", models["cx6"], 4},
	"efa": {"0x1d0f", "pci:v00001D0Fd%08Xsv00001D0Fsd0000EFA1bc02sc00i00", "/sys/bus/pci/drivers/efa", "7: unspecified",
		model{part: 0xefa1, rate: "100 Gb/sec (4X EDR)"}, 1},
}

// makeTree makes what libibverbs and its providers read of /sys, in a folder for SYSFS_PATH. The numbers agree with those of src: device
// numbers with src/libc/file.c, GUIDs with src/mlx5/attributes.c, GIDs with src/uverbs/gid.c.
func makeTree(root string, devices []device) error {
	files := map[string]string{
		filepath.Join(root, "class/infiniband_verbs/abi_version"): "6",
		filepath.Join(root, "class/misc/rdma_cm/abi_version"):     "4",
		filepath.Join(root, "class/misc/rdma_cm/dev"):             "10:122",
	}
	for i, d := range devices {
		kind, part := kinds[d.provider], d.part()
		add := func(dir string, content map[string]string) {
			for file, text := range content {
				files[filepath.Join(root, dir, file)] = text
			}
		}
		char := fmt.Sprintf("uverbs%d", i)
		verbs := map[string]string{"ibdev": d.name, "dev": fmt.Sprintf("231:%d", 192+i), "abi_version": "1"}
		pci := fmt.Sprintf("devices/pci0000:00/0000:%02x:00.0", 3+i)
		at, class := filepath.Join(pci, "infiniband", d.name), filepath.Join("class/infiniband", d.name)
		add(filepath.Join("class/infiniband_verbs", char), verbs)
		add(filepath.Join(pci, "infiniband_verbs", char), verbs)
		add(pci, map[string]string{
			"emulated": "6.1", // for reports
			"modalias": fmt.Sprintf(kind.modalias, part), "vendor": kind.vendor, "device": fmt.Sprintf("%#04x", part),
			"class": "0x020000", "numa_node": "-1",
			"current_link_width": "16", "current_link_speed": "16.0 GT/s PCIe", "max_link_width": "16", "max_link_speed": "16.0 GT/s PCIe",
		})
		if fw := d.model.firmware; fw != [3]int{} {
			add(at, map[string]string{"fw_ver": fmt.Sprintf("%d.%d.%04d", fw[0], fw[1], fw[2]), "board_id": "MT_0000000222",
				"hca_type": fmt.Sprint("MT", part)})
		}
		add(at, map[string]string{
			"node_type": kind.node, "node_guid": fmt.Sprintf("9803:9b03:0001:%04x", i), "sys_image_guid": "9803:9b03:0001:0000",
		})
		if d.netdev != "" {
			add(filepath.Join(pci, "net", d.netdev), map[string]string{"ifindex": "1"}) // as the entries of the GID table have it
		}
		add(filepath.Join(at, "ports/1"), port(i, d))
		links := [][2]string{{kind.driver, filepath.Join(pci, "driver")}, {"../..", filepath.Join(at, "device")},
			{filepath.Join("../..", at), class}}
		if d.virtual {
			links = append(links, [2]string{"../0000:02:00.0", filepath.Join(pci, "physfn")}) // which is not to be seen from here
		}
		for _, link := range links {
			at := filepath.Join(root, link[1])
			if err := cmp.Or(os.MkdirAll(filepath.Dir(at), 0o755), os.Symlink(link[0], at)); err != nil {
				return err
			}
		}
	}
	return writeAll(files)
}

// emptyGID is the content of most files of a GID table. They are links to one file: ext4 takes long to make hundreds where hundreds were
// removed just before.
const emptyGID = "0000:0000:0000:0000:0000:0000:0000:0000"

func writeAll(files map[string]string) error {
	empty := ""
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if text == emptyGID && os.Link(empty, path) == nil { // it fails for the first, and where there are no links
			continue
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			return err
		}
		if text == emptyGID {
			empty = path
		}
	}
	return nil
}

// port is the folder of the port of device number i.
func port(i int, d device) map[string]string {
	out := map[string]string{
		"pkeys/0": "0xffff", "rate": d.model.rate, "link_layer": "Ethernet",
		"lid": "0x0", "lid_mask_count": "0", "sm_lid": "0x0", "sm_sl": "0", "cap_mask": "0x04010000",
	}
	maps.Copy(out, state(false))
	if d.infiniband {
		out["link_layer"], out["lid"], out["sm_lid"] = "InfiniBand", fmt.Sprintf("%#x", i+1), "0x1"
	}
	for _, name := range []string{"excessive_buffer_overrun_errors", "link_downed", "link_error_recovery", "local_link_integrity_errors",
		"port_rcv_data", "port_rcv_errors", "port_rcv_packets", "port_xmit_data", "port_xmit_discards", "port_xmit_packets",
		"port_xmit_wait", "symbol_error"} {
		out["counters/"+name] = "0" // nothing is counted
	}
	for k := range 256 {
		out[fmt.Sprintf("gids/%d", k)] = emptyGID
	}
	for k, at := range d.gids {
		if at < 0 {
			continue
		}
		gid := fmt.Sprintf("fe80:0000:0000:0000:9a03:9bff:fe00:%04x", i+1)
		if k > 1 {
			gid = fmt.Sprintf("0000:0000:0000:0000:0000:ffff:c0a8:4d%02x", i+1)
		}
		out[fmt.Sprintf("gids/%d", at)] = gid
		out[fmt.Sprintf("gid_attrs/types/%d", at)] = []string{"IB/RoCE v1", "RoCE v2"}[k%2]
		if !d.infiniband {
			out[fmt.Sprintf("gid_attrs/ndevs/%d", at)] = cmp.Or(d.netdev, "lo")
		}
	}
	return out
}

// state are the files about the state of a port.
func state(down bool) map[string]string {
	if down {
		return map[string]string{"state": "1: DOWN", "phys_state": "3: Disabled"}
	}
	return map[string]string{"state": "4: ACTIVE", "phys_state": "5: LinkUp"}
}

// List writes a table of the devices.
func (c *Card) List(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "DEVICE\tTYPE\tGUID\tPORT\tGIDS")
	for _, d := range c.devices {
		at := filepath.Join(c.dir, "devices/sys/class/infiniband", d.name)
		read := func(file string) string {
			text, _ := os.ReadFile(filepath.Join(at, file)) // efa has no type
			return strings.TrimSpace(string(text))
		}
		_, state, _ := strings.Cut(read("ports/1/state"), " ")
		var gids []string
		for k := range 256 {
			if gid, err := netip.ParseAddr(read(fmt.Sprint("ports/1/gids/", k))); err == nil && !gid.IsUnspecified() {
				gids = append(gids, fmt.Sprintf("%d: %v (%s)", k, gid, read(fmt.Sprint("ports/1/gid_attrs/types/", k))))
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s, %s\t%s\n", d.name, cmp.Or(read("hca_type"), d.provider), read("node_guid"), state,
			read("ports/1/link_layer"), strings.Join(gids, ", "))
	}
	return w.Flush()
}
