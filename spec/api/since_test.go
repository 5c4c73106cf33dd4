package api

import (
	"bytes"
	"slices"
	"testing"
)

func TestSince(t *testing.T) {
	since := must(Since())(t)
	for name, want := range map[string]string{
		"ibv_reg_mr": "28.0", "ibv_get_device_index": "30.0", "ibv_reg_dmabuf_mr": "34.0", "ibv_wr_flush": "45.0", "ibv_reg_mr_ex": "59.0",
		"ibv_wr_opcode_str": "49.0", "ibv_nothing": "",
		"struct ibv_mr": "28.0", "struct ibv_mr.lkey": "28.0", "struct ibv_port_attr.active_speed_ex": "49.0", "struct ibv_mr.nothing": "",
		"enum ibv_mtu": "28.0", "IBV_ACCESS_REMOTE_READ": "28.0", "IBV_ACCESS_FLUSH_GLOBAL": "45.0", "IBV_DEVICE_CC_DMA_BOUNCE": "64.0",
		"IBV_FLOW_ACTION_ESP_FLAGS_TUNNEL": "28.0", "struct ibv_flow_action_esp": "28.0", "struct ibv_flow_action_esp.spi": "28.0",
		"struct ib_uverbs_flow_action_esp.spi": "28.0", "union ibv_gid.global.subnet_prefix": "28.0", "struct ibv_dmah": "59.0",
	} {
		if got := since[name]; got != want {
			t.Errorf("%s: since %q, want %q", name, got, want)
		}
	}
}

// TestDifferent compares the facts of each release with those of the one before it.
func TestDifferent(t *testing.T) {
	different := must(verbs().Different())(t)
	var want []string
	var last []byte
	for _, release := range Releases() {
		rel := load(t, release)
		rel.Release = ""
		data := must(Marshal(rel))(t)
		if !bytes.Equal(data, last) {
			want, last = append(want, release), data
		}
	}
	if !slices.Equal(different, want) || len(want) < 15 || len(want) == len(Releases()) {
		t.Errorf("%v, want %v", different, want)
	}
}
