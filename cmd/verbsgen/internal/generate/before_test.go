package generate

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// changed are the releases that dropped a name, or changed a layout or type that all before them had.
var changed = map[string]string{
	"mlx5dv 37.0": "rsvd of mlx5_wqe_ctrl_seg is two fields", "mlx5dv 54.0": "mlx5dv_obj grew", "mlx5dv 60.0": "mlx5dv_flow_action_attr grew",
	"mlx5dv 63.0": "mlx5dv_create_flow is a macro",
	"verbs 29.0":  "IBV_FLOW_ATTR_FLAGS_ALLOW_LOOP_BACK is gone", "verbs 32.0": "IBV_REREG_MR_KEEP_VALID is gone",
	"verbs 33.0": "the type of _compat_query_device", "verbs 49.0": "ibv_port_attr grew, without a mask",
}

// TestKnownBefore takes each release for a header that those before it know nothing of: what releases have changed so far is how they
// grow, fields at the front of verbs_context among it, which 59.0, 62.0 and 64.0 have.
func TestKnownBefore(t *testing.T) {
	for _, name := range spec.Modules() {
		m, err := spec.ModuleOf(name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(m.Facts)
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range stored.Releases()[1:] {
			rel, err := stored.Load(release)
			if err != nil {
				t.Fatal(err)
			}
			before, err := stored.Before(release)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckKnown(m.Header, rel, m, before, false); (err != nil) != (changed[name+" "+release] != "") {
				t.Errorf("%s %s, known are those up to %s: %v", name, release, before.Newest(), err)
			}
		}
	}
}

// TestKnownFront puts a field before the others of a record: only of one with a size that the header looks at is that a newer release.
func TestKnownFront(t *testing.T) {
	m, err := spec.ModuleOf("")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := api.KnownOf(m.Facts)
	if err != nil {
		t.Fatal(err)
	}
	for tag, grows := range map[string]bool{"struct verbs_context": true, "struct ibv_mr": false, "struct ibv_qp_init_attr_ex": false} {
		rel, err := stored.Load(stored.Newest())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(rel.Records, func(r api.Record) bool { return r.Tag == tag })
		r := &rel.Records[i]
		for j := range r.Fields {
			r.Fields[j].Offset += 8
		}
		r.Size += 8
		r.Fields = slices.Insert(r.Fields, 0, api.Field{Name: "newest", Type: "uint64_t", Size: 8})
		if err := CheckKnown(m.Header, rel, m, stored, false); (err == nil) != grows {
			t.Errorf("%s: %v", tag, err)
		}
	}
}
