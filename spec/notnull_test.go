package spec

import (
	"fmt"
	"strings"
	"testing"
)

// notNullPage is goodPage with a rule on its parameter pd that has more keys.
func notNullPage(more string) string {
	return goodPage + "  - {id: VR-ibv_reg_mr-pd-0002, kind: not_null, " + more + "}\n"
}

// TestNullDefaults compares a rule on a pointer that says as little as it may with what it means.
func TestNullDefaults(t *testing.T) {
	s := must(loadText("ibv_reg_mr.yaml", notNullPage("source: {project: a, release: b, file: c}")))(t)
	r := s.RuleByID("VR-ibv_reg_mr-pd-0002")
	got := fmt.Sprint(r.Verb, " ", r.Subject, " ", r.Needs, ": ", r.Statement, "; ", r.Fix, " ", r.Accept.Args, r.Reject.Args)
	if want := "ibv_reg_mr pd args: pd must not be NULL; pass a PD map[pd:@pd] map[pd:<nil>]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, tt := range []struct{ old, new, want string }{
		{"pd: {role: handle, type: PD}", "pd: {role: handle, type: PD, null: true}",
			"the parameter at ibv_reg_mr.yaml:15:7 has null: true; keep one of them"},
		{"pd-0002", "dp-0002", "key fix is missing, and no page binds a parameter dp of ibv_reg_mr; add it, or correct the subject"},
	} {
		page := strings.Replace(notNullPage("source: {project: a, release: b, file: c}"), tt.old, tt.new, 1)
		if _, err := loadText("ibv_reg_mr.yaml", page); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.new, err, tt.want)
		}
	}
}

// A function under read_by is a party of its library or provider, where the program crashes, and the source where the page is silent.
func TestReadBy(t *testing.T) {
	const cited = `section: DESCRIPTION, passage: "0123456789abcdef", `
	for _, tt := range []struct{ more, parties, source string }{
		{"read_by: {file: libibverbs/verbs.c, func: ibv_reg_mr}",
			"libibverbs (the program crashes): rdma-core v65.0 libibverbs/verbs.c: ibv_reg_mr", "rdma-core v65.0 libibverbs/verbs.c: ibv_reg_mr"},
		{cited + "read_by: [{file: librdmacm/cma.c, func: f}, {file: providers/mlx5/verbs.c, func: g, commit: 0123456789ab}]",
			"librdmacm (the program crashes): rdma-core v65.0 librdmacm/cma.c: f; " +
				"mlx5 (the program crashes): rdma-core commit 0123456789ab providers/mlx5/verbs.c: g", ""},
		{cited + "refused_by: [{provider: rxe, source: {project: a, release: b, file: c}}]", "rxe: a b c", ""},
	} {
		s, err := loadText("ibv_reg_mr.yaml", notNullPage(tt.more))
		if err != nil {
			t.Errorf("%s: %v", tt.more, err)
			continue
		}
		r := s.RuleByID("VR-ibv_reg_mr-pd-0002")
		var parties []string
		for _, p := range r.RefusedBy {
			parties = append(parties, p.Describe()+": "+p.Source.String())
		}
		if got := strings.Join(parties, "; "); got != tt.parties || r.Source.String() != tt.source {
			t.Errorf("%s: refused by %s, source %s; want %s, source %s", tt.more, got, r.Source, tt.parties, tt.source)
		}
	}
}

func TestWrongReadBy(t *testing.T) {
	const noFile = " is no file of a library or of a provider of rdma-core; name the file, or write refused_by"
	for more, want := range map[string]string{
		"read_by: {project: linux, release: a, file: kernel/verbs.c, func: f}": "read_by: kernel/verbs.c" + noFile,
		"read_by: {file: providers/mlx6/verbs.c, func: f}":                     "read_by: providers/mlx6/verbs.c" + noFile,
		"read_by: ibv_reg": "read_by: there is no source ibv_reg; list it under sources: of this file, or write its file and its func",
		"read_by: {file: libibverbs/verbs.c, func: f}, refused_by: []": "read_by beside refused_by; write all under refused_by, with crash: true",
	} {
		_, err := loadText("ibv_reg_mr.yaml", notNullPage(`section: DESCRIPTION, passage: "0123456789abcdef", `+more))
		if err == nil || !strings.HasSuffix(err.Error(), "VR-ibv_reg_mr-pd-0002: "+want) {
			t.Errorf("%s: error %v, want %s", more, err, want)
		}
	}
}
