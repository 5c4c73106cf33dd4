package explain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec"
)

// anyRule is a rule that no call here breaks.
const anyRule = "kind: not_null, subject: addr"

// A case that cannot be judged says why; Problem tells a value that cannot be read from a name that is not known.
func TestUnknown(t *testing.T) {
	s := fixtureSpec(t, anyRule)
	for _, tt := range []struct {
		args    string
		problem bool
		want    string
	}{
		{"{acess: 1}", false, "tst_call: acess: no such parameter; did you mean access?"},
		{"{zzzzzz: 1}", false,
			"tst_call: zzzzzz: no such parameter; the parameters are mr, pd, addr, length, offset, fd, access, small, mode, attr, wr, " +
				"name, cb, gid, counts, buf"},
		{"{access: TST_F_AA}", false, "tst_call: access: release 1.0 has no constant TST_F_AA; did you mean TST_F_A?"},
		{"{access: TST_F_A|TST_G_B}", false, "tst_call: access: release 1.0 has no constant TST_G_B; did you mean TST_F_B?"},
		{"{access: [TST_F_A, x y]}", false, `tst_call: access: release 1.0 has no constant "x y"`},
		{"{access: ''}", false, `tst_call: access: release 1.0 has no constant ""`},
		{"{mode: TST_M_TO}", false, "tst_call: mode: release 1.0 has no constant TST_M_TO; did you mean TST_M_TWO?"},
		{"{access: F_B}", false, "tst_call: access: release 1.0 has no constant F_B; did you mean TST_F_B?"},
		{"{access: tst_f_b}", false, "tst_call: access: release 1.0 has no constant tst_f_b; did you mean TST_F_B?"},
		{"{access: CAP_A}", false, "tst_call: access: release 1.0 has no constant CAP_A; did you mean TST_CAP_A?"},
		{"{mode: TEM}", false, "tst_call: mode: release 1.0 has no constant TEM"},
		{"{small: MAGIK}", false, "tst_call: small: release 1.0 has no constant MAGIK; did you mean TST_MAGIC?"},
		{"{attr: {xx: 1}}", false, "tst_call: attr.xx: release 1.0 has no field xx in struct tst_attr *; did you mean x?"},
		{"{attr: {u: {rdma: {kee: 1}}}}", false,
			"tst_call: attr.u.rdma.kee: release 1.0 has no field kee in struct tst_attr.u.rdma; did you mean key?"},
		{"{wr: [{}, {opp: 1}]}", false, "tst_call: wr[1].opp: release 1.0 has no field opp in struct tst_wr *; did you mean op?"},
		{"{pd: {handel: 1}}", false, "tst_call: pd.handel: release 1.0 has no field handel in struct ibv_pd *; did you mean handle?"},
		{"{length: null}", true, "tst_call: length: null where an integer belongs; write a value, or leave it out"},
		{"{length: {}}", true, "tst_call: length: a mapping where an integer belongs; write a number or a name"},
		{"{small: 256}", true, "tst_call: small: 256 does not fit in uint8_t; the largest is 255"},
		{"{small: -129}", true, "tst_call: small: -129 does not fit in uint8_t; the smallest is -128"},
		{"{fd: 0x100000000}", true, "tst_call: fd: 4294967296 does not fit in int; the largest is 4294967295"},
		{"{length: 18446744073709551616}", true,
			"tst_call: length: 18446744073709551616 does not fit in size_t; the largest is 18446744073709551615"},
		{"{length: 1" + strings.Repeat("0", 60) + "}", true,
			"tst_call: length: 10000000000000000000... (61 digits) does not fit in size_t; the largest is 18446744073709551615"},
		{"{length: 1" + strings.Repeat("0", 6000) + "}", true,
			"tst_call: length: a number of 19932 bits does not fit in size_t; the largest is 18446744073709551615"},
		{"{length: 1.5}", true, "tst_call: length: 1.5 is a floating-point number, which no argument is; write an integer"},
		{"{length: 010}", true, "tst_call: length: 010 is not an integer of this form; write decimal, 0x hexadecimal or 0o octal"},
		{"{attr: {x: .inf}}", true, "tst_call: attr.x: .inf is a floating-point number, which no argument is; write an integer"},
		{"{attr: {flag: 2}}", true, "tst_call: attr.flag: 2 does not fit in unsigned int; the largest is 1"},
		{"{attr: 5}", true, "tst_call: attr: an integer where a struct belongs; write {field: value}"},
		{"{gid: null}", true, "tst_call: gid: null where a struct belongs; write a value, or leave it out"},
		{"{pd: {mrs: ['@a', 3]}}", true, "tst_call: pd.mrs: objects and numbers in one list; write flags only, or objects only"},
		{"{access: [[1]]}", true, "tst_call: access: a list where names and numbers belong; write one list of them"},
		{"{attr: {x: 1}, attr.x: 2}", true, "tst_call: attr.x: given twice; keep one of them"},
		{"{attr: null, attr.x: 2}", true, "tst_call: attr.x: attr has a value of its own; write one of the two"},
	} {
		r := judge(t, s, tt.args, "")
		if r.Verdict != Unknown || r.Problem != tt.problem || !slices.Equal(r.Messages, []string{tt.want}) || len(r.Rules) != 0 {
			t.Errorf("%s: %s problem=%v\n%s\nwant problem=%v\n%s", tt.args, r.Verdict, r.Problem, strings.Join(r.Messages, "\n"),
				tt.problem, tt.want)
		}
	}
}

// Values of every type that a case may hold.
func TestValues(t *testing.T) {
	s := fixtureSpec(t, anyRule)
	for _, args := range []string{
		"{}", "{name: mlx5_0}", "{name: '@n'}", "{cb: '@f'}", "{gid: 'fe80::1'}", "{gid: {raw: [1, 2, 0xff]}}", "{gid: '@g'}",
		"{counts: [1, 2]}", "{counts: '@c'}", "{small: 255}", "{small: -1}", "{length: UINT64_MAX}", "{wr: [null, {next: {}}]}",
		"{mr: {context: {}, pd: {handle: 3}}}", "{access: 'TST_F_A | 0x10'}", "{access: [TST_F_A|TST_F_B, 0x10]}",
		"{attr.x: 3, attr: {y: 4}}", "{attr: 0}",
	} {
		if r := judge(t, s, args, ""); r.Verdict != Accept || len(r.Messages) != 0 {
			t.Errorf("%s: %s %v", args, r.Verdict, r.Messages)
		}
	}
	r := judge(t, s, "{pd: {colour_of_the_box: 1}}", "")
	if want := "tst_call: pd.colour_of_the_box: no rule uses this property; it is ignored"; r.Verdict != Accept ||
		!slices.Equal(r.Messages, []string{want}) {
		t.Errorf("unknown property: %s %v", r.Verdict, r.Messages)
	}
}

// TestWorkRequests judges chains as a program would write them: num_sge counts sg_list, and capabilities stand in caps.
func TestWorkRequests(t *testing.T) {
	_, judge := newest(t)
	caps := map[string]any{"qp.cap.max_send_sge": 1}
	sge := map[string]any{"length": 8}
	for _, c := range []struct {
		wr      map[string]any
		verdict string
	}{
		{map[string]any{"sg_list": []any{sge}}, Accept},
		{map[string]any{"sg_list": []any{sge, sge}}, Warn},
		{map[string]any{"sg_list": []any{sge, sge}, "num_sge": 1}, Accept},
	} {
		r := judge.Evaluate(Case{Verb: "ibv_post_send", Args: map[string]any{"wr": []any{c.wr}}, Caps: caps})
		if r.Verdict != c.verdict {
			t.Errorf("%v: %s %v, want %s", c.wr, r.Verdict, r.Messages, c.verdict)
		}
		if says := strings.Join(r.Messages, "\n"); c.verdict == Warn && !strings.Contains(says, "wr[0].num_sge 2: ") {
			t.Errorf("%v: %s; want the number of elements in it", c.wr, says)
		}
	}
	r := judge.Evaluate(Case{Verb: "ibv_post_send", Args: map[string]any{"qp": map[string]any{"cap": map[string]any{"max_send_sge": 1}}}})
	if want := "qp.cap.max_send_sge in caps"; r.Verdict != Accept || len(r.Messages) != 1 || !strings.HasSuffix(r.Messages[0], want) {
		t.Errorf("a capability as a property: %s %v", r.Verdict, r.Messages)
	}
}

// TestEmbeddedObject gives a property of the object that another one begins with, with and without the field between.
func TestEmbeddedObject(t *testing.T) {
	_, judge := newest(t)
	for _, c := range []struct {
		qp      map[string]any
		verdict string
	}{
		{map[string]any{"qp_type": "IBV_QPT_RC"}, Accept},
		{map[string]any{"qp_type": "IBV_QPT_UD"}, Reject},
		{map[string]any{"qp_base": map[string]any{"qp_type": "IBV_QPT_UD"}}, Reject},
		{map[string]any{"qp_type": "IBV_QPT_RC", "wr_flags": "IBV_SEND_INLINE"}, Warn},
	} {
		r := judge.Evaluate(Case{Verb: "ibv_wr_flush", Args: map[string]any{"qp": c.qp}})
		if r.Verdict != c.verdict {
			t.Errorf("%v: %s %v, want %s", c.qp, r.Verdict, r.Messages, c.verdict)
		}
	}
}

func TestVerbs(t *testing.T) {
	s := loadFixture(t, fixtureHead+"skip: {tst_other: nobody calls it}\n")
	old := fixtureFacts()
	old.Functions = old.Functions[1:]
	for _, tt := range []struct {
		verb, verdict, message string
		old                    bool
	}{
		{"tst_call", Accept, "", false},
		{"tst_cal", Unknown, "tst_cal: no such verb; did you mean tst_call?", false},
		{"", Unknown, `"": no such verb`, false},
		{"tst_other", Unknown, "tst_other: skipped: nobody calls it", false},
		{"tst_call", Unknown, "tst_call: release 1.0 does not have this verb", true},
	} {
		rel := fixtureFacts()
		if tt.old {
			rel = old
		}
		r := New(s, rel).Evaluate(Case{Verb: tt.verb})
		if r.Verdict != tt.verdict || strings.Join(r.Messages, "\n") != tt.message {
			t.Errorf("%q: %s %v", tt.verb, r.Verdict, r.Messages)
		}
	}
	s, err := spec.Load(fstest.MapFS{"tst.yaml": {Data: []byte(fixtureHead)}, "pending.yaml": {Data: []byte("functions: [tst_other]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	r := New(s, fixtureFacts()).Evaluate(Case{Verb: "tst_other"})
	if want := "tst_other: not judged: no page describes this verb yet"; r.Verdict != Unknown || !slices.Equal(r.Messages, []string{want}) {
		t.Errorf("pending verb: %s %v", r.Verdict, r.Messages)
	}
}

// A capability that no struct has is told and changes no verdict; one with a value that cannot be is a problem.
func TestCaps(t *testing.T) {
	s := fixtureSpec(t, "kind: cap_bound, subject: length, cap: device_attr.max_mr_size")
	for _, tt := range []struct{ caps, verdict, message string }{
		{"{device_attr.max_mr_size: 10}", Reject,
			"tst_call: length 11: it is broken (max_mr_size is 10 on this device); mend it [VR-tst_call-s-0001]"},
		{"{device_attr: {max_mr_size: 0xa}}", Reject,
			"tst_call: length 11: it is broken (max_mr_size is 10 on this device); mend it [VR-tst_call-s-0001]"},
		{"{device_attr.max_mr_size: null}", Accept, ""},
		{"{device_attr.max_mr_siz: 10}", Accept,
			"tst_call: caps: device_attr.max_mr_siz: struct ibv_device_attr has no field max_mr_siz; did you mean max_mr_size?"},
		{"{device_atr.max_mr_size: 10}", Accept,
			"tst_call: caps: device_atr.max_mr_size: no capabilities are called device_atr; did you mean device_attr?"},
		{"{device_attr.flags: 0x100000000}", Unknown,
			"tst_call: caps.device_attr.flags: 4294967296 does not fit in unsigned int; the largest is 4294967295"},
		{"{device_attr.max_mr_size: BIG}", Unknown, "tst_call: caps.device_attr.max_mr_size: release 1.0 has no constant BIG"},
	} {
		r := judge(t, s, "{length: 11}", tt.caps)
		if r.Verdict != tt.verdict || strings.Join(r.Messages, "\n") != tt.message {
			t.Errorf("%s: %s %v", tt.caps, r.Verdict, r.Messages)
		}
	}
}

// The answer has the order of the cases, keeps their IDs as written, and its lists are never null.
func TestJSON(t *testing.T) {
	s := fixtureSpec(t, anyRule)
	cases, err := parse("c.json",
		[]byte("[\n\t{\"id\": \"b\", \"verb\": \"tst_call\", \"args\": {\"addr\": null}},\n\t{\"id\": 7, \"verb\": "+
			"\"tst_call\"},\n\t{\"verb\": \"nope\", \"args\": {}}\n]"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(New(s, fixtureFacts()).EvaluateAll(cases))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"id":"b","verdict":"reject","rules":["VR-tst_call-s-0001"],"messages":["tst_call: addr NULL: it is broken; mend it ` +
		`[VR-tst_call-s-0001]"],"not_judged":[]},` +
		`{"id":7,"verdict":"accept","rules":[],"messages":[],"not_judged":[]},` +
		`{"id":null,"verdict":"unknown","rules":[],"messages":["nope: no such verb"],"not_judged":[]}]`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
