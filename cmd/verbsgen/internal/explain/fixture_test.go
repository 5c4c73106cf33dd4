package explain

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// fixtureFacts is a small release of our own: one verb with an argument of each type.
func fixtureFacts() *api.Release {
	bit := func(i int) *int { return &i }
	return &api.Release{
		Release: "1.0",
		Functions: []api.Function{{
			Name: "tst_call", Kind: api.Exported, Ret: "int",
			Params: []api.Param{
				{Name: "mr", Type: "struct ibv_mr *"}, {Name: "pd", Type: "struct ibv_pd *"}, {Name: "addr", Type: "void *"},
				{Name: "length", Type: "size_t"}, {Name: "offset", Type: "uint64_t"}, {Name: "fd", Type: "int"},
				{Name: "access", Type: "int"}, {Name: "small", Type: "uint8_t"}, {Name: "mode", Type: "enum tst_mode"},
				{Name: "attr", Type: "struct tst_attr *"}, {Name: "wr", Type: "struct tst_wr *"}, {Name: "name", Type: "const char *"},
				{Name: "cb", Type: "void (*)(void *)"}, {Name: "gid", Type: "union tst_gid"}, {Name: "counts", Type: "uint64_t *"},
				{Name: "buf", Type: "struct ibv_buf *"},
			},
		}, {Name: "tst_other", Kind: api.Exported, Ret: "int", Params: []api.Param{{Name: "addr", Type: "void *"}}}},
		Records: []api.Record{
			{Tag: "struct ibv_mr", Fields: []api.Field{{Name: "context", Type: "struct ibv_context *"}, {Name: "pd", Type: "struct ibv_pd *"}}},
			{Tag: "struct ibv_pd", Fields: []api.Field{{Name: "context", Type: "struct ibv_context *"}, {Name: "handle", Type: "uint32_t"}}},
			{Tag: "struct tst_attr", Fields: []api.Field{
				{Name: "comp_mask", Type: "uint32_t"}, {Name: "x", Type: "uint32_t"}, {Name: "y", Type: "uint32_t"},
				{Name: "pd", Type: "struct ibv_pd *"}, {Name: "flag", Type: "unsigned int", BitOffset: bit(0), BitSize: bit(1)},
				{Name: "u", Type: "union tst_attr.u"}, {Name: "u.rdma", Type: "struct tst_attr.u.rdma"}, {Name: "u.rdma.key", Type: "uint32_t"},
			}},
			{Tag: "struct tst_wr", Fields: []api.Field{
				{Name: "next", Type: "struct tst_wr *"}, {Name: "op", Type: "enum tst_mode"}, {Name: "sg_list", Type: "struct tst_sge *"},
			}},
			{Tag: "struct tst_sge", Fields: []api.Field{{Name: "addr", Type: "uint64_t"}, {Name: "length", Type: "uint32_t"}}},
			{Tag: "union tst_gid", Fields: []api.Field{{Name: "raw", Type: "uint8_t[16]"}}},
			{Tag: "struct ibv_device_attr", Fields: []api.Field{{Name: "max_mr_size", Type: "uint64_t"}, {Name: "flags", Type: "unsigned int"}}},
			{Tag: "struct ibv_device_attr_ex", Fields: []api.Field{{Name: "orig_attr", Type: "struct ibv_device_attr"},
				{Name: "max_dm_size", Type: "uint64_t"}}},
			{Tag: "struct ibv_port_attr", Fields: []api.Field{{Name: "max_msg_sz", Type: "uint32_t"}}},
		},
		Enums: []api.Enum{
			{Tag: "enum tst_flags", Enumerators: []api.Enumerator{
				{Name: "TST_F_A", Value: 1}, {Name: "TST_F_B", Value: 2}, {Name: "TST_F_C", Value: 4}, {Name: "TST_F_D", Value: 8}}},
			{Tag: "enum tst_mode", Enumerators: []api.Enumerator{{Name: "TST_M_ONE", Value: 1}, {Name: "TST_M_TWO", Value: 2},
				{Name: "TST_M_TEN", Value: 10}}},
			{Tag: "enum tst_mask", Enumerators: []api.Enumerator{{Name: "TST_MASK_X", Value: 1}, {Name: "TST_MASK_Y", Value: 2}}},
			{Tag: "enum tst_caps", Enumerators: []api.Enumerator{{Name: "TST_CAP_A", Value: 16}, {Name: "TST_CAP_B", Value: 32}}},
		},
		Macros: []api.Macro{{Name: "TST_F_RANGE", Value: int64(0x3ff00000)}, {Name: "TST_MAGIC", Value: "((void *)-1)"}},
	}
}

// fixtureSpec is a page about tst_call with one rule; body is the part that a test is about.
func fixtureSpec(t *testing.T, body string) *spec.Spec {
	t.Helper()
	needs := "args"
	if strings.Contains(body, "kind: cap_bound") {
		needs = "caps"
	} else if strings.Contains(body, "mr.") || strings.Contains(body, "pd.") || strings.Contains(body, "buf.") {
		needs = "state"
	}
	return loadFixture(t, fixtureHead+`rules:
- {id: VR-tst_call-s-0001, verb: tst_call, statement: it is broken, fix: mend it, section: S, passage: "0000000000000000", needs: `+needs+`, accept: {}, reject: {}, `+body+"}\n")
}

const fixtureHead = `page: tst
title: a test
release: "1.0"
flags:
  TstFlags: {enum: tst_flags, prefix: TST_F_, doc: flags}
records:
  TstAttr:
    c: tst_attr
    role: in
    mask: comp_mask
    doc: a struct
    fields: {x: {go: X, bit: TST_MASK_X}, y: {go: Y}}
verbs:
  tst_call:
    returns: errno
    doc: is called
    methods: {}
    params:
      addr: {role: addr}
      access: {role: flags, type: TstFlags}
      attr: {role: in_record, type: TstAttr}
      cb: {role: in, null: true}
`

func loadFixture(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Load(fstest.MapFS{"tst.yaml": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckNames(fixtureFacts()); err != nil {
		t.Fatal(err)
	}
	return s
}

// judge reads the arguments as a case file has them and judges the call; caps may be empty.
func judge(t *testing.T, s *spec.Spec, args, caps string) Result {
	t.Helper()
	return judgeOn(t, s, args, caps, spec.Platform{})
}

// judgeOn is judge for one platform.
func judgeOn(t *testing.T, s *spec.Spec, args, caps string, at spec.Platform) Result {
	t.Helper()
	text := "- {verb: tst_call, args: " + args + "}\n"
	if caps != "" {
		text = "- {verb: tst_call, args: " + args + ", caps: " + caps + "}\n"
	}
	cases, err := parse("cases.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return New(s, fixtureFacts()).On(at).Evaluate(cases[0])
}

// parse reads a case file.
func parse(file string, data []byte) ([]Case, error) {
	list, err := spec.ParseCases(file, data)
	if err != nil {
		return nil, err
	}
	out := make([]Case, len(list))
	for i, c := range list {
		out[i] = Case{ID: c.ID, Verb: c.Verb, Args: c.Args, Caps: c.Caps, Problems: c.Problems}
	}
	return out, nil
}
