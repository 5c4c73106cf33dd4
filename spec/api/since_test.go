package api

import (
	"bytes"
	"slices"
	"testing"
)

func TestSince(t *testing.T) {
	since, err := Since()
	if err != nil {
		t.Fatal(err)
	}
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

// TestSinceByRelease holds the index against all releases, read one by one.
func TestSinceByRelease(t *testing.T) {
	since, err := Since()
	if err != nil {
		t.Fatal(err)
	}
	lives, err := verbs().Lifetimes()
	if err != nil {
		t.Fatal(err)
	}
	first, last := map[string]string{}, map[string]string{}
	for _, release := range Releases() {
		for _, name := range namesOf(load(t, release)) {
			if first[name] == "" {
				first[name] = release
			}
			last[name] = release
		}
	}
	if len(first) != len(since) || len(first) < 1500 {
		t.Errorf("the index has %d names, the releases have %d", len(since), len(first))
	}
	for name, want := range first {
		if since[name] != want || lives[name].Since != want {
			t.Errorf("%s: since %q and %q, want %q", name, since[name], lives[name].Since, want)
		}
		if want := last[name] == Newest(); lives[name].Stays != want {
			t.Errorf("%s: stays is %v, want %v", name, lives[name].Stays, want)
		}
	}
}

// TestDifferent compares the facts of each release with those of the one before it.
func TestDifferent(t *testing.T) {
	different, err := verbs().Different()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	var last []byte
	for _, release := range Releases() {
		rel := load(t, release)
		rel.Release = ""
		data, err := Marshal(rel)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, last) {
			want, last = append(want, release), data
		}
	}
	if !slices.Equal(different, want) || len(want) < 15 || len(want) == len(Releases()) {
		t.Errorf("%v, want %v", different, want)
	}
}

// namesOf lists the names of a release in the way of Index.
func namesOf(rel *Release) []string {
	var names []string
	also := map[string][]string{}
	for _, a := range rel.Aliases {
		names = append(names, a.Name)
		also[a.Kind+" "+a.Of] = append(also[a.Kind+" "+a.Of], a.Kind+" "+a.Name)
	}
	for _, f := range rel.Functions {
		names = append(names, f.Name)
	}
	for _, r := range rel.Records {
		for _, tag := range append([]string{r.Tag}, also[r.Tag]...) {
			names = append(names, tag)
			for _, f := range r.Fields {
				if f.Name != "" {
					names = append(names, tag+"."+f.Name)
				}
			}
		}
	}
	for _, e := range rel.Enums {
		names = append(names, append([]string{e.Tag}, also[e.Tag]...)...)
		for _, m := range e.Enumerators {
			names = append(names, m.Name)
		}
	}
	for _, m := range rel.Macros {
		names = append(names, m.Name)
	}
	return names
}
