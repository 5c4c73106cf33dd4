//go:build linux && cgo

package oncard

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// about says what a device is.
func about(t *testing.T, dev *verbs.Device) string {
	attr, port := must(dev.QueryDeviceEx())(t), must(dev.QueryPort(1))(t)
	text := fmt.Sprintf("part %#x, firmware %s, %d bytes, %v, LID %d, GIDs", attr.OrigAttr.VendorPartID, attr.OrigAttr.FWVer, attr.MaxDMSize,
		port.LinkLayer, port.LID)
	entries := make([]verbs.GIDEntry, 8)
	for _, e := range entries[:must(dev.QueryGIDTable(entries))(t)] {
		text += fmt.Sprintf(" %d:%v", e.GIDIndex, e.GIDType)
	}
	return text
}

// TestOptions asks devices with options what they are, and runs tests of traffic on ports of InfiniBand.
func TestOptions(t *testing.T) {
	if os.Getenv(role) == "options" {
		for _, d := range must(must(verbs.Load())(t).Devices())(t) {
			fmt.Printf("\x01%s\n", about(t, open(t, d.Name)))
		}
		return
	}
	for devices, want := range map[string]string{
		"mlx5:ib,mlx5:cx7:ib": "part 0x101b, firmware 20.35.1012, 262144 bytes, INFINIBAND, LID 1, GIDs 0:IB\n" +
			"part 0x1021, firmware 28.39.1002, 262144 bytes, INFINIBAND, LID 2, GIDs 0:IB\n",
		"mlx5:cx4:vf,mlx5:gids=-.-.5.7": "part 0x1014, firmware 12.28.2006, 0 bytes, ETHERNET, LID 0, " +
			"GIDs 0:ROCE_V1 1:ROCE_V2 2:ROCE_V1 3:ROCE_V2\n" +
			"part 0x101b, firmware 20.35.1012, 262144 bytes, ETHERNET, LID 0, GIDs 5:ROCE_V1 7:ROCE_V2\n",
		"mlx5:gids=-.-.5.7,mlx5:cx5:gids=-.-.2.1": "part 0x101b, firmware 20.35.1012, 262144 bytes, ETHERNET, LID 0, " +
			"GIDs 5:ROCE_V1 7:ROCE_V2\npart 0x1017, firmware 16.35.1012, 262144 bytes, ETHERNET, LID 0, GIDs 1:ROCE_V2 2:ROCE_V1\n",
	} {
		run := "-test.run=^TestOptions$"
		if strings.Contains(devices, "ib") {
			run = "-test.run=^(TestOptions|TestTraffic|TestProcesses)$" // they use entry 0 of the GID table
		}
		cmd := exec.Command(must(os.Executable())(t), run, "-test.v")
		cmd.Env = append(append(os.Environ(), role+"=options"), onDevices(t, strings.Split(devices, ",")...)...)
		out, err := cmd.CombinedOutput()
		var said string
		for line := range strings.Lines(string(out)) {
			if _, text, ok := strings.Cut(line, "\x01"); ok {
				said += text
			}
		}
		if err != nil || said != want {
			t.Errorf("%s: %v\n%s, want\n%s\n%s", devices, err, said, want, out)
		}
	}
}
