package coverage

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOwnRules: the cases of every rule of the project hold, and every rule that its package enforces is seen there.
func TestOwnRules(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	files, pkg, err := generate.Run(rel, sp, generate.Options{Package: "verbs"})
	if err != nil {
		t.Fatal(err)
	}
	r := NewRules(rel, sp, sp.Rules(), pkg, files)
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	n := map[string]int{}
	kept := map[string]string{
		"VR-ibv_reg_mr-pd-0019":                     ByType, // a handle in use
		"VR-ibv_alloc_dm-attr-0096":                 ByType, // a builder that is not nil
		"VR-ibv_query_port-port_attr-0169":          ByType, // a result
		"VR-ibv_read_counters-counters_value-0757":  ByType, // memory of a slice
		"VR-ibv_alloc_dmah-comp_mask-1334":          ByType, // bits that a builder sets
		"VR-ibv_modify_qp-qkey-0262":                ByType,
		"VR-ibv_create_qp_ex-pd-2041":               ByType,
		"VR-ibv_alloc_parent_domain-free-0137":      ByType, // an interface
		"VR-ibv_post_send-wr-3803":                  ByType,
		"VR-ibv_rereg_mr-pd-0175":                   ByValidator, // a handle that may be nil
		"VR-ibv_advise_mr-sg_list-0192":             ByValidator, // a list that may be empty
		"VR-ibv_create_srq_ex-pd-3305":              ByValidator, // a field that need not be set
		"VR-ibv_memcpy_to_dm-dm_offset-0106":        ByHandles,
		"VR-ibv_memcpy_to_dm-dm_offset-0108":        ByHandles, // which copy by 4 bytes
		"VR-ibv_wr_atomic_cmp_swp-remote_addr-3119": ByExplain,
	}
	for _, s := range r.Rules {
		n[s.By]++
		if by := kept[s.ID]; by != "" && by != s.By {
			t.Errorf("%s: by %s, want %s", s.ID, s.By, by)
		}
		delete(kept, s.ID)
		if !s.Tested || (s.By == ByExplain) != (s.Why != "") {
			t.Errorf("%+v", s)
		}
	}
	if len(kept) > 0 {
		t.Errorf("there are no rules %v", kept)
	}
	if n[ByValidator] < 100 || n[ByType] == 0 || n[ByHandles] == 0 || n[ByExplain] > len(r.Rules)/10 {
		t.Errorf("enforced by: %v", n)
	}
	all := r.counts()[len(r.counts())-1].n
	if all[0] != len(sp.Rules()) || all[1]+all[2]+all[3]+all[4] != all[0] || all[5] != all[0] {
		t.Errorf("all: %v", all)
	}
}

const rulesPage = `page: p
title: p
release: "65.0"
rules:
  - {id: VR-f-x-9001, verb: f, subject: x, kind: not_null, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: args, accept: ACCEPT, reject: REJECT}
  - {id: VR-f-x-9002, verb: f, subject: x, kind: range, max: 8, severity: lint, note: n, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: args, accept: {x: 8}, reject: {x: 9}}
`

// Each way in which the cases of a rule can fail to show it.
func TestCasesThatDoNotHold(t *testing.T) {
	rel := &api.Release{Release: "1.0", Functions: []api.Function{{Name: "f", Params: []api.Param{{Name: "x", Type: "void *"}}}}}
	for _, tt := range []struct{ accept, reject, want string }{
		{`{x: "@a"}`, "{x: null}", ""},
		{"{x: null}", "{x: null}", "its accept has the verdict reject: f: x NULL: s; f [VR-f-x-9001]"},
		{"{y: 1}", "{x: null}", "its accept has the verdict unknown: f: y: no such parameter; did you mean x?"},
		{"{x: 1}", "{x: 1}", "its reject does not break it"},
		{"{x: 1}", "{x: 9}", "its reject does not break it"},
		{"{x: 1}", "{x: nothing}", "its reject has the verdict unknown: f: x: release 1.0 has no constant nothing"},
	} {
		text := strings.NewReplacer("ACCEPT", tt.accept, "REJECT", tt.reject).Replace(rulesPage)
		sp, err := spec.Load(fstest.MapFS{"p.yaml": {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		r := NewRules(rel, sp, sp.Rules(), &model.Package{}, nil)
		if got := strings.Join(r.Rules[0].Problems, "|"); got != tt.want || r.Rules[0].Tested != (tt.want == "") {
			t.Errorf("%s, %s: %q, want %q", tt.accept, tt.reject, got, tt.want)
		}
		if (r.Err() == nil) != (tt.want == "") || !r.Rules[1].Tested {
			t.Errorf("%s, %s: %v, %+v", tt.accept, tt.reject, r.Err(), r.Rules[1])
		}
	}
}
