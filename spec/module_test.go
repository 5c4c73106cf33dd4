package spec

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestModules loads each of the project's own modules: all its names are known, every module that it stands on is there, and its
// facts are stored.
func TestModules(t *testing.T) {
	if want := []string{"efadv", "hnsdv", "mlx5dv", "rdmacm", "verbs"}; !slices.Equal(Modules(), want) {
		t.Errorf("modules %v, want %v", Modules(), want)
	}
	for _, name := range Modules() {
		s, err := Embedded(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m := s.Module
		if m.Name != name || m.Import == "" || m.Facts == "" || m.Source == "" || m.Install == "" {
			t.Errorf("%s: %+v", name, m)
		}
		stored, err := api.KnownOf(m.Facts)
		known, all := stored.Releases(), api.Releases() // some headers came with a later release, and one gets a new one before the others
		if err != nil || len(known) < 10 || !strings.Contains(strings.Join(all, " "), strings.Join(known, " ")) {
			t.Errorf("%s: facts of %v, %v", name, stored.Releases(), err)
			continue
		}
		rels := must(covering(m.Facts))(t)
		if err := s.CheckNames(rels...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherModule finds the types of a module that another one stands on, under its name.
func TestOtherModule(t *testing.T) {
	s := must(Embedded("rdmacm"))(t)
	if o := s.ObjectByGo("verbs.PD"); o == nil || o.C != "ibv_pd" {
		t.Errorf("verbs.PD is %+v", o)
	}
	if r := s.RecordByGo("verbs.QPInitAttr"); r == nil || r.C != "ibv_qp_init_attr" {
		t.Errorf("verbs.QPInitAttr is %+v", r)
	}
	if s.ObjectByGo("PD") != nil || s.ObjectByGo("none.PD") != nil || s.RecordByGo("verbs.None") != nil {
		t.Error("a type is found under another name")
	}
	w := s.Module.Words
	if !w.IsObject("rdma_cm_id") || !w.IsObject("ibv_pd") || w.IsObject("rdma_route") {
		t.Error("objects of the module and of the one that it stands on are not told from others")
	}
	for c, want := range map[string]string{"rdma_cm_id": "id", "rdma_create_id": "create_id", "ibv_ah_attr": "ah_attr",
		"sockaddr": "sockaddr"} {
		if got := w.Bare(c); got != want {
			t.Errorf("%s without its prefix is %s, want %s", c, got, want)
		}
	}
}
