//go:build linux && cgo

package recording

import (
	"fmt"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestRecords lets the library make and show every record of verbs.h, bound or not: each field of the facts is there under its name; of
// those that share no memory each number is its own, and each function and list is there.
func TestRecords(t *testing.T) {
	b := open(t)
	s := b.rec.source
	records, fields := 0, 0
	for tag, r := range s.records {
		made := must(b.rec.Sample(tag, 0))(t)
		records++
		values := map[string]string{}
		for i, f := range r.Fields {
			if kind, _ := s.kind(f.Type); f.Name == "" || r.Container(f) || kind == "RECORD" || strings.HasPrefix(f.Type, "pthread_") ||
				f.Type == "struct timespec" {
				continue
			}
			fields++
			path := tag + "." + f.Name
			text, ok := made[path]
			switch kind := s.number(f.Type); {
			case !ok:
				t.Errorf("%s is not recorded", path)
			case overlapped(r, i) || f.Name == "comp_mask" || kind == "" || behind[tag][1] == f.Name:
			case zero(text):
				t.Errorf("%s has no value of its own", path)
			case values[text] != "":
				t.Errorf("%s and %s have the same value, %s", path, values[text], text)
			default:
				values[text] = path
			}
		}
	}
	t.Logf("%d fields of %d records", fields, records)
	if records < 100 || fields < 600 {
		t.Errorf("only %d fields of %d records", fields, records)
	}
}

// overlapped reports whether an earlier field lies in the same memory.
func overlapped(r *api.Record, i int) bool {
	f := r.Fields[i]
	for _, g := range r.Fields[:i] {
		if g.Name != "" && !r.Container(g) && g.Offset < f.Offset+f.Size && f.Offset < g.Offset+g.Size {
			return true
		}
	}
	return false
}

// TestBehind looks at records that others follow: the members of a union are all shown, and as many records as the first one says.
func TestBehind(t *testing.T) {
	b := open(t)
	for tag, paths := range map[string][]string{
		"struct ibv_flow_attr": {"[0].eth.val.dst_mac", "[0].ipv4.val.src_ip", "[1].tcp_udp.mask.dst_port", "[1].hdr.size"},
		"struct ibv_send_wr": {".sg_list[0].addr", ".sg_list[1].lkey", ".wr.atomic.swap", ".qp_type.xrc.remote_srqn",
			".tso.mss"},
		"struct ibv_ops_wr":                   {".tm.add.sg_list[1].length"},
		"struct ibv_rx_hash_conf":             {".rx_hash_key[1]"},
		"struct ibv_cq_init_attr_ex":          {".wc_flags"},
		"struct ibv_qp_init_attr_ex":          {".cap.max_inline_data", ".rx_hash_conf.rx_hash_fields_mask"},
		"struct ibv_flow_spec_counter_action": {".counters"},
	} {
		made := must(b.rec.Sample(tag, 2))(t)
		for _, path := range paths {
			if _, ok := made[tag+path]; !ok {
				t.Errorf("%s%s is not recorded", tag, path)
			}
		}
		if _, ok := made[tag+"[2].hdr.size"]; ok {
			t.Errorf("%s: more records behind it than it says", tag)
		}
	}
}

// TestFunctions looks for every function that the facts have: exported ones by their names, operations in the records that hold them.
func TestFunctions(t *testing.T) {
	b := open(t)
	newest := must(api.Load(api.Newest()))(t)
	n := 0
	for _, f := range newest.Functions {
		if f.Kind == api.Inline {
			continue
		}
		n++
		if b.rec.Symbol(f.Name, "") == 0 {
			t.Errorf("%s is not in the library", f.Name)
		}
	}
	for _, tag := range []string{"struct verbs_context", "struct ibv_context_ops", "struct ibv_qp_ex", "struct ibv_cq_ex",
		"struct ibv_dm", "struct ibv_wq"} {
		made := must(b.rec.Sample(tag, 0))(t)
		for _, f := range b.rec.source.records[tag].Fields {
			if f.Func == nil || strings.HasPrefix(f.Name, "_compat") || strings.HasPrefix(f.Name, "ABI_") {
				continue
			}
			n++
			if text := made[tag+"."+f.Name]; text == "" || zero(text) {
				t.Errorf("%s.%s is not filled in", tag, f.Name)
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d functions", n)
	}
	t.Log(fmt.Sprint(n, " functions"))
}
