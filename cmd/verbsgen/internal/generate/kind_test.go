package generate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// Two kinds of rules that nothing but this file knows.
var (
	// descending: no field is more than the one before it.
	_ = spec.Register(spec.Kind{
		Name: "descending",
		Must: [][]string{{"fields"}},
		Broken: func(r *spec.Rule) *spec.Cond {
			var rises []*spec.Cond
			fields := r.Operands("fields")
			for i := range fields[1:] {
				rises = append(rises, cond.Test(cond.Lt, fields[i], fields[i+1]))
			}
			return cond.Of(cond.Any, rises...)
		},
	})
	// exactly_one: of the fields, one is given.
	_ = spec.Register(spec.Kind{
		Name: "exactly_one",
		Must: [][]string{{"fields"}},
		May:  []string{"mask"},
		Broken: func(r *spec.Rule) *spec.Cond {
			return cond.Test(cond.Ne, cond.Of(cond.Given, r.Operands("fields")...).Masked(r.Operand("mask")), spec.Number("1"))
		},
	})
)

// kindPage is a page with a rule of each.
const kindPage = `extends: ibv_create_qp
rules:
  - {id: VR-ibv_create_qp-cap-9001, verb: ibv_create_qp, kind: descending, when: [{of: qp_init_attr.qp_type, eq: IBV_QPT_RC}],
     fields: [qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_send_sge, qp_init_attr.cap.max_recv_sge], statement: they descend, fix: sort them, source: {project: a, release: b, file: c}, needs: args,
     accept: {qp_init_attr: {qp_type: IBV_QPT_RC, cap: {max_send_wr: 3, max_send_sge: 2, max_recv_sge: 2}}},
     reject: {qp_init_attr: {qp_type: IBV_QPT_RC, cap: {max_send_wr: 3, max_send_sge: 2, max_recv_sge: 5}}}}
  - {id: VR-ibv_create_qp-cap-9002, verb: ibv_create_qp, kind: exactly_one, fields: [qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_recv_wr],
     statement: one is given, fix: give one, source: {project: a, release: b, file: c}, needs: args,
     accept: {qp_init_attr: {cap: {max_send_wr: 3, max_recv_wr: 0}}}, reject: {qp_init_attr: {cap: {max_send_wr: 3, max_recv_wr: 1}}}}
`

// TestKindIsOneFile shows that a kind of rules is all in its file: pages with rules of these two are read and checked, explain
// judges by them, and the generated validators have them.
func TestKindIsOneFile(t *testing.T) {
	sp, err := overlay(t, kindPage)
	if err != nil {
		t.Fatal(err)
	}
	rel := newest(t)
	if err := sp.CheckNames(releases(t)...); err != nil {
		t.Fatal(err)
	}
	k := explain.New(sp, rel)
	for id, message := range map[string]string{
		"VR-ibv_create_qp-cap-9001": "qp_init_attr.cap.max_send_wr 3: they descend; sort them",
		"VR-ibv_create_qp-cap-9002": "qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_recv_wr: one is given; give one",
	} {
		r := sp.RuleByID(id)
		if got := k.Evaluate(explain.Case{Verb: r.Verb, Args: r.Accept.Args}); slices.Contains(got.Rules, id) ||
			slices.Contains(got.NotJudged, id) {
			t.Errorf("%s: accept: %s %v", id, got.Verdict, got.Messages)
		}
		got := k.Evaluate(explain.Case{Verb: r.Verb, Args: r.Reject.Args})
		if want := r.Verb + ": " + message + " [" + id + "]"; got.Verdict != explain.Reject || !slices.Contains(got.Messages, want) {
			t.Errorf("%s: reject: %s %v, want %s", id, got.Verdict, got.Messages, want)
		}
	}
	files, _, err := Run(rel, sp, Options{Package: "p", Only: []string{"ibv_create_qp"}, Foreign: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"in.qpInitAttrCapMaxSendSGE < in.qpInitAttrCapMaxRecvSGE) {\n\t\tbad.Add(&rule9001, ",
		"if fail.Count(in.qpInitAttrCapMaxSendWR != 0, in.qpInitAttrCapMaxRecvWR != 0) != 1 {\n\t\tbad.Add(&rule9002, 0)",
		`Subject: "qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_recv_wr"`,
		`judge(t, "VR-ibv_create_qp-cap-9002", checkCreateQP,`,
	} {
		found := false
		for _, f := range files {
			found = found || strings.Contains(string(f.Data), want)
		}
		if !found {
			t.Errorf("no file has %s", want)
		}
	}
}

// TestKindIsChecked breaks the rules of the two kinds: what their keys may hold follows from their trees.
func TestKindIsChecked(t *testing.T) {
	known := releases(t)
	for _, c := range []struct{ old, new, want string }{
		{"kind: descending", "kind: decending", `unknown rule kind decending; did you mean descending?`},
		{"kind: exactly_one", "kind: exactly_one, min: 1", "a rule of kind exactly_one does not use min"},
		{"fields: [qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_recv_wr]", "mask: qp_init_attr.sq_sig_all",
			"a rule of kind exactly_one needs fields"},
		{"[qp_init_attr.cap.max_send_wr, qp_init_attr.cap.max_recv_wr]", "[qp_init_attr.cap.max_send_w]",
			"qp_init_attr.cap.max_send_w leads nowhere"},
		{"qp_init_attr.cap.max_send_sge, qp_init_attr.cap.max_recv_sge]", "qp_init_attr.send_cq]",
			"fields: qp_init_attr.send_cq is of type struct ibv_cq *, which is no number"},
	} {
		sp, err := overlay(t, strings.Replace(kindPage, c.old, c.new, 1))
		if err == nil {
			err = sp.CheckNames(known...)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.new, err, c.want)
		}
	}
}

// releases loads the facts of all releases.
func releases(t *testing.T) []*api.Release {
	t.Helper()
	var all []*api.Release
	for _, name := range api.Releases() {
		rel, err := api.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rel)
	}
	return all
}

// overlay loads the pages with one more.
func overlay(t *testing.T, page string) (*spec.Spec, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "page.yaml"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return spec.Embedded("", dir)
}
