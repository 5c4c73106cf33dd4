package generate

import (
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestWritten changes a declaration of a header at a time that hand-written text was written for, or the body of an inline function: each
// change is refused, although --allow-changed-abi allows others.
func TestWritten(t *testing.T) {
	fn := func(rel *api.Release, name string) *api.Function {
		return &rel.Functions[slices.IndexFunc(rel.Functions, func(f api.Function) bool { return f.Name == name })]
	}
	rec := func(rel *api.Release, tag string) *api.Record {
		return &rel.Records[slices.IndexFunc(rel.Records, func(r api.Record) bool { return r.Tag == tag })]
	}
	member := func(rel *api.Release, name string) *api.Enumerator {
		for _, e := range rel.Enums {
			if i := slices.IndexFunc(e.Enumerators, func(m api.Enumerator) bool { return m.Name == name }); i >= 0 {
				return &e.Enumerators[i]
			}
		}
		return nil
	}
	sp := pages(t)
	for _, tt := range []struct {
		edit func(rel *api.Release)
		want string
	}{
		{func(rel *api.Release) { fn(rel, "ibv_post_send").Kind = api.Exported },
			"ibv_post_send: its kind is exported; the code that uses it was written for inline; take the header as rdma-core has it"},
		{func(rel *api.Release) { rec(rel, "struct ibv_send_wr").Field("num_sge").Offset = 40 },
			"struct ibv_send_wr.num_sge: its offset is 40; the code that uses it was written for 24"},
		{func(rel *api.Release) { rec(rel, "struct verbs_context").Field("priv").Name = "private" },
			"struct verbs_context: it has no priv, which the code that uses it needs"},
		{func(rel *api.Release) {
			*rec(rel, "struct verbs_context") = api.Record{Tag: "struct verbs_context", Incomplete: true}
		},
			"struct verbs_context: it has no "},
		{func(rel *api.Release) { member(rel, "IBV_SRQT_BASIC").Name = "IBV_SRQT_PLAIN" },
			"IBV_SRQT_BASIC: the header does not have it, and the code that is written for the function uses it"},
		{func(rel *api.Release) { rec(rel, "struct verbs_context").Field("sz").Type = "uint8_t" },
			"struct verbs_context.sz: its type is uint8_t; the code that uses it was written for size_t"},
		{func(rel *api.Release) { member(rel, "IBV_WC_SUCCESS").Value = 7 },
			"IBV_WC_SUCCESS: its value is 7; the code that uses it was written for 0"},
		{func(rel *api.Release) { fn(rel, "ibv_alloc_mw").Dispatch.Op = "alloc_nothing" },
			"ibv_alloc_mw: its body calls alloc_nothing through pd->context, where the header has no such function"},
		{func(rel *api.Release) { fn(rel, "ibv_alloc_dm").Dispatch.Object = "attr" },
			"ibv_alloc_dm: its body calls alloc_dm through attr, where the header has no such function"},
		{func(rel *api.Release) { fn(rel, "ibv_alloc_mw").Dispatch.Args = []string{"pd"} },
			"ibv_alloc_mw: its body calls alloc_mw with 1 arguments, and it takes 2"},
		{func(rel *api.Release) {
			rec(rel, "struct verbs_context").Field("alloc_dm").Func.Ret = "struct ibv_qp *"
		},
			"ibv_alloc_dm: its body calls alloc_dm, whose result is struct ibv_qp * and not struct ibv_dm *"},
		{func(rel *api.Release) {
			rec(rel, "struct verbs_context").Field("alloc_dm").Func.Params[0].Type = "struct ibv_qp *"
		},
			"ibv_alloc_dm: its body calls alloc_dm with context of type struct ibv_context * for struct ibv_qp *"},
	} {
		rel := newest(t)
		rel.Release = "" // as that of a header
		tt.edit(rel)
		_, _, err := Run(rel, sp, Options{Package: "p", AllowChanged: true, AllowUndecided: true})
		if got := ""; err == nil || !strings.Contains(err.Error(), tt.want) {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("want\n%s\ngot\n%.900s", tt.want, got)
		}
	}
}
