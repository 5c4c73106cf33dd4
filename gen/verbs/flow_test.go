package verbs

import (
	"bytes"
	"testing"
)

// TestFlowSpecBytes compares the bytes of specs with what stands in a packet: numbers are in network byte order there.
func TestFlowSpecBytes(t *testing.T) {
	eth := func(b byte) FlowEthFilter {
		return FlowEthFilter{
			DstMAC: [6]uint8{b, 1, 2, 3, 4, 5}, SrcMAC: [6]uint8{b, 7, 8, 9, 10, 11}, EtherType: 0x0800,
			VLANTag: 0x2003,
		}
	}
	for name, c := range map[string]struct {
		spec FlowSpec
		want []byte
	}{
		"Ethernet": {&FlowSpecEth{Val: eth(0xaa), Mask: eth(0xff)}, []byte{0x20, 0, 0, 0, 40, 0,
			0xaa, 1, 2, 3, 4, 5, 0xaa, 7, 8, 9, 10, 11, 8, 0, 0x20, 3, 0xff, 1, 2, 3, 4, 5, 0xff, 7, 8, 9, 10, 11, 8, 0, 0x20, 3, 0, 0}},
		"IPv4": {&FlowSpecIPv4{
			Inner: true, Val: FlowIPv4Filter{SrcIP: 0x0b86c806, DstIP: 0x01020304},
			Mask: FlowIPv4Filter{
				SrcIP: 0xffffff00,
			},
		},
			[]byte{0x30, 1, 0, 0, 24, 0, 0, 0, 0x0b, 0x86, 0xc8, 0x06, 1, 2, 3, 4, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0}},
		"TCP": {&FlowSpecTCP{Val: FlowPortFilter{DstPort: 443, SrcPort: 0x1234}, Mask: FlowPortFilter{DstPort: 0xffff}},
			[]byte{0x40, 0, 0, 0, 16, 0, 1, 0xbb, 0x12, 0x34, 0xff, 0xff, 0, 0, 0, 0}},
		"UDP":     {&FlowSpecUDP{}, []byte{0x41, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		"a tag":   {&FlowSpecTag{TagID: 0x0a0b}, []byte{0, 0x10, 0, 0, 12, 0, 0, 0, 0x0b, 0x0a, 0, 0}},
		"nothing": {&FlowSpecDrop{}, []byte{1, 0x10, 0, 0, 8, 0, 0, 0}},
	} {
		if got := c.spec.pack(); !bytes.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
