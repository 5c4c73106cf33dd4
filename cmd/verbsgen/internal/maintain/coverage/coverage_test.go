package coverage

import (
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOwnPages checks what the project promises of the pages of its modules: both cases of every rule are right, and nothing of any release
// is undecided.
func TestOwnPages(t *testing.T) {
	for _, module := range spec.Modules() {
		sp, err := spec.Embedded(module)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(sp.Module.Facts)
		if err != nil {
			t.Fatal(err)
		}
		different, err := stored.Different()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range different {
			rel, err := stored.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			r := New(rel, sp)
			if r.Release == nil || *r.Release != name {
				t.Errorf("%s: release %v", name, r.Release)
			}
			if r.Rules.Tested != r.Rules.Total || len(r.Rules.Untested) > 0 {
				t.Errorf("%s %s: %d of %d rules are tested; not %v", module, name, r.Rules.Tested, r.Rules.Total, r.Rules.Untested)
			}
			for _, k := range r.kinds() {
				for _, it := range k.items {
					if it.Status == "undecided" || it.Status == "skipped" && it.Reason == "" {
						t.Errorf("%s %s: %s %s is %s: %s", module, name, k.what, it.Name, it.Status, it.Reason)
					}
				}
			}
			if name == different[len(different)-1] && r.Rules.Total != len(sp.Rules()) {
				t.Errorf("%s: %d rules counted, the pages have %d", name, r.Rules.Total, len(sp.Rules()))
			}
		}
	}
}

const page = `page: ibv_fork_init
title: fork
release: "65.0"
verbs:
  ibv_fork_init:
    returns: errno
    doc: prepares for fork
    params: {}
    methods:
      Lib.ForkInit: {}
rules:
  - {id: VR-ibv_fork_init-x-9001, verb: ibv_fork_init, subject: x, kind: not_null, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: args, accept: {x: "@a"}, reject: {x: null}}
  - {id: VR-ibv_fork_init-x-9002, verb: ibv_fork_init, subject: x, kind: range, max: 8, severity: lint, note: some kernel takes it, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: state, accept: {x: 8}, reject: {x: 9}}
  - {id: VR-ibv_fork_init-x-9003, verb: ibv_fork_init, subject: x, kind: not_null, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: caps, accept: {x: "@a"}, reject: {x: null}, retired: true}
  - {id: VR-ibv_newer-x-9004, verb: ibv_newer, subject: x, kind: not_null, statement: s, fix: f, source: {project: a, release: b, file: c}, needs: args, accept: {x: "@a"}, reject: {x: null}}
skip:
  ibv_helper: of no use
  struct_x: of no use
`

const pending = "functions: [ibv_later]\nrecords: []\nenums: [ibv_mtu]\nmacros: []\n"

func report(t *testing.T) *Report {
	t.Helper()
	sp, err := spec.Load(fstest.MapFS{"ibv_fork_init.yaml": {Data: []byte(page)}, "pending.yaml": {Data: []byte(pending)},
		"other.yaml": {Data: []byte("page: other\ntitle: of a newer release\nrelease: \"66.0\"\n")}})
	if err != nil {
		t.Fatal(err)
	}
	return New(&api.Release{
		Functions: []api.Function{{Name: "ibv_fork_init", Params: []api.Param{{Name: "x", Type: "void *"}}}, {Name: "ibv_helper"},
			{Name: "ibv_later"}, {Name: "ibv_new"}},
		Records: []api.Record{{Tag: "struct struct_x"}},
		Enums:   []api.Enum{{Tag: "enum ibv_mtu"}},
	}, sp)
}

func TestNew(t *testing.T) {
	r := report(t)
	want := []Item{
		{"ibv_fork_init", "bound", "", "ibv_fork_init"},
		{"ibv_helper", "skipped", "of no use", "ibv_fork_init"},
		{"ibv_later", "pending", "listed in pending.yaml: not described yet", ""},
		{"ibv_new", "undecided", "", ""},
	}
	for i, w := range want {
		if r.Functions[i] != w {
			t.Errorf("function %d: %+v, want %+v", i, r.Functions[i], w)
		}
	}
	if r.Records[0].Status != "skipped" || r.Enums[0].Status != "pending" {
		t.Errorf("tags: %+v, %+v", r.Records[0], r.Enums[0])
	}
	if r.Rules.Total != 2 || r.Rules.Tested != 2 || r.Rules.ByPage["ibv_fork_init"] != 2 || len(r.Rules.ByPage) != 1 {
		t.Errorf("rules: %+v", r.Rules)
	}
}
