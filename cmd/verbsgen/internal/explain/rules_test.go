package explain

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// kindTest is one rule with cases that fulfil it and cases that break it; of the latter, the subject and value that
// the message shows.
type kindTest struct {
	name   string
	rule   string
	accept []string
	reject [][2]string
	caps   string
}

var kindTests = []kindTest{
	{name: "requires", rule: "kind: requires, subject: access, if: [TST_F_B, TST_F_C], need: [TST_F_A, TST_F_D]",
		accept: []string{"{}", "{access: 0}", "{access: TST_F_A}", "{access: TST_F_A|TST_F_B|TST_F_D}", "{access: [TST_F_C, 9]}",
			"{access: '@any'}"},
		reject: [][2]string{{"{access: TST_F_B}", "access B (0x2)"}, {"{access: 0x403}", ""}, {"{access: 0x407}", "access A|B|C|0x400 (0x407)"},
			{"{access: -2}", "access B|C|D|0xfffffff0 (0xfffffffe)"}}},
	{name: "excludes flags", rule: "kind: excludes, subject: access, if: [TST_F_A], not: [TST_F_B, TST_F_C]",
		accept: []string{"{}", "{access: TST_F_A|TST_F_D}", "{access: TST_F_B|TST_F_C}"},
		reject: [][2]string{{"{access: TST_F_A|TST_F_C}", "access A|C (0x5)"}}},
	{name: "excludes always", rule: "kind: excludes, subject: access, not: [TST_F_B]",
		accept: []string{"{}", "{access: TST_F_A}"},
		reject: [][2]string{{"{access: TST_F_B}", "access B (0x2)"}}},
	{name: "excludes on a condition", rule: "kind: excludes, subject: access, not: [TST_F_B], when: [{of: mode, eq: TST_M_TWO}]",
		accept: []string{"{access: TST_F_B}", "{access: TST_F_B, mode: TST_M_ONE}", "{access: TST_F_A, mode: TST_M_TWO}"},
		reject: [][2]string{{"{access: TST_F_B, mode: 2}", "access B (0x2)"}}},
	{name: "excludes fields", rule: "kind: excludes, fields: [attr.x, attr.pd, fd]",
		accept: []string{"{}", "{attr: {x: 1}}", "{attr: {x: 1, pd: null}, fd: 0}", "{fd: 3}"},
		reject: [][2]string{{"{attr: {x: 1, pd: '@p'}}", "attr.x, attr.pd, fd"}, {"{attr: {x: 1}, fd: -1}", ""}}},
	{name: "excludes fields by mask", rule: "kind: excludes, fields: [attr.x, attr.y], mask: attr.comp_mask",
		accept: []string{"{attr: {comp_mask: TST_MASK_X, x: 1}}", "{attr: {comp_mask: 0, x: 1, y: 1}}"},
		reject: [][2]string{{"{attr: {comp_mask: TST_MASK_X, y: 1}}", "attr.x, attr.y"}, {"{attr: {x: 1, y: 1}}", ""}}},
	{name: "allowed flags", rule: "kind: allowed_set, subject: access, allow: [TST_F_A, TST_F_B, TST_F_RANGE]",
		accept: []string{"{}", "{access: 3}", "{access: 0x20100001}"},
		reject: [][2]string{{"{access: TST_F_C}", "access C (0x4)"}, {"{access: 0x40000000}", "access 0x40000000 (0x40000000)"},
			{"{access: 0x80000000}", "access 0x80000000 (0x80000000)"}}},
	{name: "allowed values", rule: "kind: allowed_set, subject: mode, values: [TST_M_ONE, 2]",
		accept: []string{"{}", "{mode: TST_M_ONE}", "{mode: TST_M_TWO}", "{mode: '@m'}"},
		reject: [][2]string{{"{mode: TST_M_TEN}", "mode TEN"}, {"{mode: 7}", "mode 7"}}},
	{name: "mandatory", rule: "kind: mandatory, subject: access, need: [TST_F_A, TST_F_B]",
		accept: []string{"{}", "{access: 7}"},
		reject: [][2]string{{"{access: 0}", "access 0"}, {"{access: TST_F_A}", "access A (0x1)"}}},
	{name: "gated_by", rule: "kind: gated_by, subject: attr.y, mask: attr.comp_mask, bit: TST_MASK_Y",
		accept: []string{"{}", "{attr: {y: 1}}", "{attr: {y: 1, comp_mask: 3}}", "{attr: {y: 0, comp_mask: 0}}", "{attr: null}", "{attr: '@a'}"},
		reject: [][2]string{{"{attr: {y: 5, comp_mask: TST_MASK_X}}", "attr.y 5"}, {"{attr: {y: '@v', comp_mask: 0}}", "attr.y @v"}}},
	{name: "required bits", rule: "kind: required, mask: attr.comp_mask, bits: [TST_MASK_X, TST_MASK_Y]",
		accept: []string{"{}", "{attr: {}}", "{attr: {comp_mask: 3}}", "{attr: {y: 1}}"},
		reject: [][2]string{{"{attr: {comp_mask: TST_MASK_Y}}", "attr.comp_mask Y (0x2)"}, {"{attr: {comp_mask: 0}}", "attr.comp_mask 0"}}},
	{name: "required fields", rule: "kind: required, fields: [attr.x, attr.pd]",
		accept: []string{"{}", "{attr: {x: 0}}", "{attr: {x: 0, pd: '@p'}}", "{attr: {x: 1, pd: null}}"},
		reject: [][2]string{{"{attr: {x: 0, pd: null}}", "attr.x, attr.pd"}}},
	{name: "required fields by mask", rule: "kind: required, fields: [attr.x, attr.pd], mask: attr.comp_mask",
		accept: []string{"{attr: {comp_mask: TST_MASK_X}}", "{attr: {comp_mask: 0}}"},
		reject: [][2]string{{"{attr: {comp_mask: 0, pd: null}}", "attr.x, attr.pd"}}},
	{name: "not_null", rule: "kind: not_null, subject: addr",
		accept: []string{"{}", "{addr: '@a'}", "{addr: 0x1000}", "{addr: TST_MAGIC}"},
		reject: [][2]string{{"{addr: null}", "addr NULL"}, {"{addr: 0}", "addr NULL"}, {"{addr: 'NULL'}", "addr NULL"}}},
	{name: "range", rule: "kind: range, subject: length, min: 1, max: offset",
		accept: []string{"{}", "{length: 1}", "{length: 99}", "{length: 99, offset: 99}", "{length: '@l', offset: 0}"},
		reject: [][2]string{{"{length: 0}", "length 0"}, {"{length: 100, offset: 99}", "length 100"}}},
	{name: "range of one value", rule: "kind: range, subject: length, min: 3, max: 3",
		accept: []string{"{length: 3}"},
		reject: [][2]string{{"{length: 2}", "length 2"}, {"{length: 4}", "length 4"}}},
	{name: "range of a signed value", rule: "kind: range, subject: fd, min: 0",
		accept: []string{"{}", "{fd: 0}", "{fd: INT_MAX}"},
		reject: [][2]string{{"{fd: -1}", "fd -1"}, {"{fd: 0xffffffff}", "fd -1"}}},
	{name: "sum", rule: "kind: range, subject: length, sum: [offset, length], max: mr.length",
		accept: []string{"{}", "{offset: 1, length: 2}", "{offset: 1, length: 2, mr: {length: 3}}", "{length: 2, mr: {length: 3}}",
			"{offset: 9, length: 2, mr: '@m'}"},
		reject: [][2]string{{"{offset: 2, length: 2, mr: {length: 3}}", "length 2"}, {"{length: 4, mr: {length: 3}}", "length 4"},
			{"{offset: 0xffffffffffffffff, length: 1}", "length 1"}}},
	{name: "sum and a capability",
		rule:   "kind: cap_bound, subject: 'wr[].op', sum: ['wr[].sg_list[].length'], cap: device_attr.max_mr_size",
		caps:   "{device_attr.max_mr_size: 10}",
		accept: []string{"{}", "{wr: [{sg_list: [{length: 4}, {length: 6}]}, {sg_list: [{length: 10}]}]}"},
		reject: [][2]string{{"{wr: [{op: TST_M_ONE, sg_list: [{length: 4}]}, {op: TST_M_TWO, sg_list: [{length: 4}, {length: 7}]}]}",
			"wr[1].op TWO"}}},
	{name: "sum within a buffer", rule: "kind: range, subject: length, sum: [addr, length], max: buf.end",
		accept: []string{"{}", "{addr: 16, length: 16}", "{addr: 16, length: 16, buf: {end: 32}}",
			"{addr: 16, length: 16, buf: {addr: 8, length: 24}}", "{addr: 16, length: 99, buf: {length: 24}}"},
		reject: [][2]string{{"{addr: 16, length: 17, buf: {end: 32}}", "length 17"},
			{"{addr: 16, length: 17, buf: {addr: 8, length: 24}}", "length 17"}}},
	{name: "sum of a list", rule: "kind: range, sum: ['wr.sg_list[].length'], max: 10",
		accept: []string{"{wr: {sg_list: [{length: 4}, {length: 6}]}}", "{wr: {sg_list: []}}", "{wr: {}}"},
		reject: [][2]string{{"{wr: {sg_list: [{length: 5}, {length: 6}]}}", "wr.sg_list[].length 11"}}},
	{name: "range in chains", rule: "kind: range, subject: 'wr[].sg_list[].length', max: 10",
		accept: []string{"{}", "{wr: []}", "{wr: [{}, {sg_list: null}, '@wr']}", "{wr: [{sg_list: [{length: 10}, {addr: 1}]}]}"},
		reject: [][2]string{{"{wr: [{}, {}, {sg_list: [{length: 11}]}]}", "wr[2].sg_list[0].length 11"},
			{"{wr: {sg_list: [{}, {length: 11}]}}", "wr[0].sg_list[1].length 11"}}},
	{name: "aligned", rule: "kind: aligned, subject: addr, to: 64",
		accept: []string{"{}", "{addr: 128}", "{addr: '@a'}", "{addr: null}"},
		reject: [][2]string{{"{addr: 65}", "addr 0x41"}}},
	{name: "aligned to an operand", rule: "kind: aligned, subject: length, to: offset",
		accept: []string{"{length: 3}", "{length: 6, offset: 3}", "{length: 6, offset: 0}"},
		reject: [][2]string{{"{length: 7, offset: 3}", "length 7"}}},
	{name: "aligned to the page", rule: "kind: aligned, subject: length, to: page",
		accept: []string{"{length: page}"},
		reject: [][2]string{{"{length: 5}", "length 5"}}},
	{name: "same offset", rule: "kind: aligned, subject: offset, to: page, same_as: length",
		accept: []string{"{offset: 5}", "{offset: 5, length: 5}", "{offset: 0, length: page}"},
		reject: [][2]string{{"{offset: 5, length: 6}", "offset 5"}}},
	{name: "cap_bound", rule: "kind: cap_bound, subject: length, cap: device_attr.max_mr_size", caps: "{device_attr.max_mr_size: 10}",
		accept: []string{"{}", "{length: 10}", "{length: '@l'}"},
		reject: [][2]string{{"{length: 11}", "length 11"}}},
	{name: "cap_bound by the extended query", rule: "kind: cap_bound, subject: length, cap: device_attr.max_mr_size",
		caps:   "{device_attr_ex: {orig_attr: {max_mr_size: 10}}}",
		accept: []string{"{length: 10}"},
		reject: [][2]string{{"{length: 11}", "length 11"}}},
	{name: "cap_bound of a port", rule: "kind: cap_bound, subject: length, cap: 'port_attr[small].max_msg_sz'",
		caps:   "{'port_attr[2].max_msg_sz': 10}",
		accept: []string{"{length: 11}", "{length: 11, small: 1}", "{length: 10, small: 2}"},
		reject: [][2]string{{"{length: 11, small: 2}", "length 11"}}},
	{name: "cap_bound of any port", rule: "kind: cap_bound, subject: length, cap: 'port_attr[small].max_msg_sz'",
		caps:   "{port_attr: {max_msg_sz: 10}, 'port_attr[2].max_msg_sz': 12}",
		accept: []string{"{length: 10}", "{length: 10, small: 1}", "{length: 12, small: 2}"},
		reject: [][2]string{{"{length: 11}", "length 11"}, {"{length: 11, small: 1}", "length 11"}, {"{length: 13, small: 2}", "length 13"}}},
	{name: "cap flags", rule: "kind: cap_bound, subject: access, if: [TST_F_B], cap: device_attr.flags, cap_has: [TST_CAP_A, TST_CAP_B]",
		caps:   "{device_attr.flags: TST_CAP_B}",
		accept: []string{"{}", "{access: TST_F_A}"},
		reject: [][2]string{{"{access: TST_F_B}", "access B (0x2)"}}},
	{name: "cap flags of any value", rule: "kind: cap_bound, subject: attr.x, cap: device_attr.flags, cap_has: [TST_CAP_A]",
		caps:   "{device_attr.flags: [TST_CAP_B]}",
		accept: []string{"{}", "{attr: {x: 0}}"},
		reject: [][2]string{{"{attr: {x: 3}}", "attr.x 3"}}},
	{name: "cap flags of the call", rule: "kind: cap_bound, cap: device_attr.flags, cap_has: [TST_CAP_A]", caps: "{device_attr.flags: 32}",
		reject: [][2]string{{"{}", ""}}},
	{name: "depends_on",
		rule: "kind: depends_on, subject: length, when: [{of: addr, null: true}], must: [{of: length, eq: SIZE_MAX}, {of: access, has: " +
			"[TST_F_A]}]",
		accept: []string{"{}", "{length: 5}", "{addr: null}", "{addr: null, length: SIZE_MAX, access: 1}",
			"{addr: null, length: 0xffffffffffffffff}"},
		reject: [][2]string{{"{addr: null, length: 5}", "length 5"},
			{"{addr: null, length: SIZE_MAX, access: 2}", "length 18446744073709551615"}}},
	{name: "mask_for_transition",
		rule: "kind: mask_for_transition, subject: attr.comp_mask, state: mr.access, assumed: attr.x, next: attr.y, transitions: " +
			"[{from: [TST_M_ONE], to: [TST_M_TWO], need: [TST_MASK_Y], may: [TST_MASK_X]}, {from: [TST_M_TWO], to: [TST_M_ONE, TST_M_TWO]}]",
		accept: []string{"{}", "{attr: {comp_mask: 0}}", "{mr: {access: 1}, attr: {y: 2, comp_mask: 2}}",
			"{mr: {access: 2}, attr: {x: 1, y: 2, comp_mask: 3}}",
			"{mr: {access: 10}, attr: {y: 1, comp_mask: 0}}", "{mr: {access: 2}, attr: {comp_mask: 0}}",
			"{mr: {access: 1}, attr: {y: 2, comp_mask: '@m'}}"},
		reject: [][2]string{{"{mr: {access: 1}, attr: {y: 2, comp_mask: 0}}", "attr.comp_mask 0, 1 to 2 without Y"},
			{"{mr: {access: 2}, attr: {y: 2, comp_mask: 3}}", "attr.comp_mask X|Y (0x3), 2 to 2 with X|Y"},
			{"{mr: {access: 2}, attr: {x: 1, y: 2, comp_mask: 9}}", "attr.comp_mask X|0x8 (0x9), 1 to 2 without Y and with 0x8"},
			{"{mr: {access: 1}, attr: {y: 10, comp_mask: 2}}", "attr.comp_mask Y (0x2), 1 to 10, which is no transition"},
			{"{mr: {access: 1}, attr: {comp_mask: 2}}", "attr.comp_mask Y (0x2), 1 to 1, which is no transition"}}},
	{name: "depends_on without subject", rule: "kind: depends_on, must: [{of: pd.context, same: mr.context}]",
		accept: []string{"{}", "{pd: '@p', mr: '@m'}", "{pd: {context: '@c'}, mr: {context: '@c'}}", "{pd: {context: '@c'}}",
			"{pd: {context: '@c'}, mr: {context: {}}}"},
		reject: [][2]string{{"{pd: {context: '@c'}, mr: {context: '@d'}}", "pd.context @c"}, {"{pd: {context: '@c'}, mr: {context: null}}", ""}}},
}

// Every kind of rule: what fulfils it is accepted, what breaks it is rejected with its ID and place.
func TestKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range kindTests {
		kind, _, _ := strings.Cut(strings.TrimPrefix(tt.rule, "kind: "), ",")
		seen[kind] = true
		t.Run(tt.name, func(t *testing.T) {
			s := fixtureSpec(t, tt.rule)
			for _, args := range tt.accept {
				if r := judge(t, s, args, tt.caps); r.Verdict != Accept || len(r.Messages) != 0 {
					t.Errorf("%s: %s %v, want accept", args, r.Verdict, r.Messages)
				}
			}
			for _, c := range tt.reject {
				r := judge(t, s, c[0], tt.caps)
				if r.Verdict != Reject || !slices.Equal(r.Rules, []string{"VR-tst_call-s-0001"}) || len(r.Messages) != 1 {
					t.Errorf("%s: %s %v %v, want reject", c[0], r.Verdict, r.Rules, r.Messages)
					continue
				}
				want := regexp.MustCompile(`^tst_call: ` + regexp.QuoteMeta(c[1]) +
					`: it is broken( \([a-z_]+ is [0-9]+( on this device)?\))?; mend it \[VR-tst_call-s-0001\]$`)
				if c[1] != "" && !want.MatchString(r.Messages[0]) {
					t.Errorf("%s: message\n%s\nwant\n%s", c[0], r.Messages[0], want)
				}
			}
			if tt.caps == "" {
				return
			}
			for _, c := range tt.reject { // an unknown capability decides nothing
				if r := judge(t, s, c[0], ""); r.Verdict != Accept {
					t.Errorf("%s without caps: %s", c[0], r.Verdict)
				}
			}
		})
	}
	for _, k := range spec.Kinds() {
		if !seen[k] {
			t.Errorf("kind %s has no test", k)
		}
	}
}

// A rule that walks a list gives one message for each element that breaks it, and its ID once.
func TestPlaces(t *testing.T) {
	s := fixtureSpec(t, "kind: range, subject: 'wr[].sg_list[].length', max: 10, when: [{of: 'wr[].op', eq: TST_M_TWO}]")
	r := judge(t, s,
		"{wr: [{op: TST_M_TWO, sg_list: [{length: 11}, {length: 3}, {length: 12}]}, {op: TST_M_ONE, sg_list: [{length: 99}]}, {op: 2, "+
			"sg_list: {length: 13}}]}", "")
	want := []string{
		"tst_call: wr[0].sg_list[0].length 11: it is broken; mend it [VR-tst_call-s-0001]",
		"tst_call: wr[0].sg_list[2].length 12: it is broken; mend it [VR-tst_call-s-0001]",
		"tst_call: wr[2].sg_list[0].length 13: it is broken; mend it [VR-tst_call-s-0001]",
	}
	if !slices.Equal(r.Messages, want) || len(r.Rules) != 1 {
		t.Errorf("rules %v, messages\n%s\nwant\n%s", r.Rules, strings.Join(r.Messages, "\n"), strings.Join(want, "\n"))
	}
}

// A release that lacks a flag knows no rule that needs it, but a call of it never has the flag.
func TestOlder(t *testing.T) {
	older := fixtureFacts()
	older.Enums[0].Enumerators = older.Enums[0].Enumerators[:2]
	c, err := parse("cases.yaml", []byte("- {verb: tst_call, args: {access: 1}}"))
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]string{
		"kind: mandatory, subject: access, need: [TST_F_C]":                                                Accept,
		"kind: excludes, subject: access, not: [TST_F_A], when: [{of: access, lacks: [TST_F_C, TST_F_D]}]": Reject,
	} {
		if r := New(fixtureSpec(t, rule), older).Evaluate(c[0]); r.Verdict != want {
			t.Errorf("%s: %s", rule, r.Verdict)
		}
	}
}

// A broken lint is a warning that says why it is none more, or who accepts the call; a platform that is known to accept or
// to refuse it makes it definite.
func TestLint(t *testing.T) {
	const lint, rule = "VR-tst_call-s-0001", "severity: lint, kind: mandatory, subject: access, need: [TST_F_A], "
	const parties = "accepted_by: [{provider: siw, " +
		"source: {project: a, release: b, file: c}}, {provider: rxe, kernel: '6.1', but: ignored, " +
		"source: {project: a, release: b, file: c}}, " +
		"{provider: efa, when: [{of: access, has: [TST_F_C]}], " +
		"source: {project: a, release: b, file: c}}], refused_by: [{provider: rxe, kernel: '>=6.12', " +
		"source: {project: a, release: b, file: c}}]"
	const who = "; accepted by siw, rxe with linux 6.1 (ignored); refused by rxe with linux >=6.12"
	for _, tt := range []struct {
		rule, args       string
		provider, kernel string
		verdict, more    string
	}{
		{rule + "note: some take it", "{access: TST_F_B}", "", "", Warn, "; only a warning: some take it"},
		{rule + parties, "{access: TST_F_B}", "", "", Warn, who},
		{rule + parties, "{access: TST_F_B}", "siw", "", Accept, who},
		{rule + parties, "{access: TST_F_B}", "rxe", "", Warn, who},
		{rule + parties, "{access: TST_F_B}", "rxe", "6.1", Warn, who},
		{rule + parties, "{access: TST_F_B}", "rxe", "6.12", Reject, who},
		{rule + parties, "{access: TST_F_B}", "mlx5", "6.12", Warn, who},
		{rule + parties, "{access: TST_F_B}", "efa", "", Warn, who},
		{rule + parties, "{access: TST_F_C}", "efa", "", Accept,
			"; accepted by siw, rxe with linux 6.1 (ignored), efa; refused by rxe with linux >=6.12"},
	} {
		s := fixtureSpec(t, tt.rule)
		kernel, _ := spec.ParseKernel(tt.kernel)
		r := judgeOn(t, s, tt.args, "", spec.Platform{Provider: tt.provider, Kernel: kernel})
		flag := map[string]string{"{access: TST_F_B}": "B (0x2)", "{access: TST_F_C}": "C (0x4)"}[tt.args]
		if want := "tst_call: access " + flag + ": it is broken; mend it [" + lint + "]" + tt.more; r.Verdict != tt.verdict ||
			!slices.Equal(r.Messages, []string{want}) {
			t.Errorf("%s on %s %s: %s\n%v\nwant %s\n%s", tt.args, tt.provider, tt.kernel, r.Verdict, r.Messages, tt.verdict, want)
		}
		want := []string(nil)
		if tt.verdict != Accept {
			want = []string{lint}
		}
		if !slices.Equal(r.Reasons(), want) {
			t.Errorf("%s on %s %s: the verdict stands on %v, want %v", tt.args, tt.provider, tt.kernel, r.Reasons(), want)
		}
	}
}

// A rule that is broken at one place is judged, whatever is not known of another.
func TestJudgedAtOnePlace(t *testing.T) {
	s := fixtureSpec(t, "kind: depends_on, subject: 'wr[].op', must: [{of: 'wr[].op', ne: TST_M_TWO}, {of: mr.mws, eq: 0}]")
	if r := judge(t, s, "{wr: [{op: TST_M_ONE}, {op: TST_M_TWO}]}", ""); r.Verdict != Reject || r.NotJudged != nil {
		t.Errorf("%s, not judged %v", r.Verdict, r.NotJudged)
	}
	if r := judge(t, s, "{wr: [{op: TST_M_ONE}]}", ""); r.Verdict != Accept || len(r.NotJudged) != 1 {
		t.Errorf("%s, not judged %v", r.Verdict, r.NotJudged)
	}
}

// Of several places, one that the platform refuses decides.
func TestLintAtSeveralPlaces(t *testing.T) {
	s := fixtureSpec(t, "severity: lint, kind: range, subject: 'wr[].sg_list[].length', max: 10, "+
		"accepted_by: [{provider: rxe, when: [{of: 'wr[].op', eq: TST_M_ONE}], "+
		"source: {project: a, release: b, file: c}}], refused_by: [{provider: rxe, when: [{of: "+
		"'wr[].op', eq: TST_M_TWO}], source: {project: a, release: b, file: c}}]")
	for args, want := range map[string]string{
		"{wr: [{op: TST_M_ONE, sg_list: [{length: 11}]}]}":                                           Accept,
		"{wr: [{op: TST_M_TEN, sg_list: [{length: 11}]}, {op: TST_M_ONE, sg_list: [{length: 11}]}]}": Warn,
		"{wr: [{op: TST_M_TWO, sg_list: [{length: 11}]}, {op: TST_M_ONE, sg_list: [{length: 11}]}]}": Reject,
		"{wr: [{op: TST_M_TWO, sg_list: [{length: 11}]}, {op: TST_M_TEN, sg_list: [{length: 11}]}]}": Reject,
	} {
		if r := judgeOn(t, s, args, "", spec.Platform{Provider: "rxe"}); r.Verdict != want {
			t.Errorf("%s: %s %v, want %s", args, r.Verdict, r.Messages, want)
		}
	}
}

// A rule is listed as not judged when a capability or a property that the case does not give decides it, and only then.
func TestNotJudged(t *testing.T) {
	const id = "VR-tst_call-s-0001"
	for _, tt := range []struct {
		rule, args, caps string
		listed           bool
	}{
		{"kind: cap_bound, subject: length, cap: device_attr.max_mr_size", "{length: 5}", "", true},
		{"kind: cap_bound, subject: length, cap: device_attr.max_mr_size", "{length: 5}", "{device_attr.max_mr_size: 5}", false},
		{"kind: cap_bound, subject: length, cap: device_attr.max_mr_size", "{}", "", false},
		{"kind: cap_bound, subject: access, if: [TST_F_A], cap: device_attr.flags, cap_has: [TST_CAP_A]", "{access: TST_F_B}", "", false},
		{"kind: cap_bound, subject: access, if: [TST_F_A], cap: device_attr.flags, cap_has: [TST_CAP_A]", "{access: TST_F_A}", "", true},
		{"kind: mandatory, subject: access, need: [TST_F_A], when: [{of: device_attr.max_mr_size, gt: 3}]", "{access: TST_F_B}", "", true},
		{"kind: mandatory, subject: access, need: [TST_F_A], when: [{of: device_attr.max_mr_size, gt: 3}]", "{access: TST_F_A}", "", false},
		{"kind: mandatory, subject: access, need: [TST_F_A], when: [{of: device_attr.max_mr_size, gt: 3}]", "{access: TST_F_B}",
			"{device_attr.max_mr_size: 3}", false},
		{"kind: mandatory, subject: access, need: [TST_F_A], when: [{of: device_attr.max_mr_size, gt: 3}, {of: length, gt: 7}]",
			"{access: TST_F_B, length: 7}", "", false},
		{"kind: range, subject: length, max: mr.length", "{length: 5}", "", true},
		{"kind: range, subject: length, max: mr.length", "{length: 5, mr: {length: 5}}", "", false},
		{"kind: range, subject: length, max: mr.length", "{mr: '@mr'}", "", false},
		{"kind: range, subject: length, max: mr.length", "{length: 5, mr: '@mr'}", "", true},
		{"kind: depends_on, must: [{of: mr.mws, eq: 0}]", "{}", "", true},
		{"kind: depends_on, must: [{of: mr.mws, eq: 0}]", "{mr: {mws: 0}}", "", false},
		{"kind: range, subject: 'wr[].sg_list[].length', max: mr.length", "{wr: [{sg_list: [{length: 1}]}, {sg_list: [{length: 2}]}]}", "", true},
		{"kind: not_null, subject: addr", "{}", "", false},
		{"kind: aligned, subject: length, to: mr.length", "{}", "", false},
		{"kind: aligned, subject: length, to: mr.length", "{length: 5}", "", true},
	} {
		r := judge(t, fixtureSpec(t, tt.rule), tt.args, tt.caps)
		if got := slices.Equal(r.NotJudged, []string{id}); r.Verdict != Accept || got != tt.listed || !got && r.NotJudged != nil {
			t.Errorf("%s: %s %s: %s, not judged %v, want it listed: %v", tt.rule, tt.args, tt.caps, r.Verdict, r.NotJudged, tt.listed)
		}
	}
}

// A rule that asks for a flag which the release does not have is left out, and a condition on such a flag does not
// hold; of flags that are looked for, those that there are count.
func TestSince(t *testing.T) {
	old := fixtureFacts()
	old.Enums[0].Enumerators = old.Enums[0].Enumerators[:3]
	old.Records[2].Fields = old.Records[2].Fields[:3]
	for _, tt := range []struct {
		rule string
		args map[string]any
		old  string // verdict without the flag or field; with it, the call is rejected
	}{
		{"kind: mandatory, subject: access, need: [TST_F_A, TST_F_D]", map[string]any{"access": 2}, Accept},
		{"kind: excludes, subject: access, not: [TST_F_D]", map[string]any{"access": 8}, Accept},
		{"kind: excludes, subject: access, not: [TST_F_B, TST_F_D]", map[string]any{"access": 2}, Reject},
		{"kind: not_null, subject: addr, when: [{of: access, all: [TST_F_A, TST_F_D]}]", map[string]any{"addr": nil, "access": 9}, Accept},
		{"kind: not_null, subject: addr, when: [{of: access, has: [TST_F_A, TST_F_D]}]", map[string]any{"addr": nil, "access": 1}, Reject},
		{"kind: not_null, subject: addr, when: [{of: attr.pd, set: false}]", map[string]any{"addr": nil}, Accept},
	} {
		s := fixtureSpec(t, tt.rule)
		c := Case{Verb: "tst_call", Args: tt.args}
		if r := New(s, fixtureFacts()).Evaluate(c); r.Verdict != Reject {
			t.Errorf("%s: %s with all there is", tt.rule, r.Verdict)
		}
		if r := New(s, old).Evaluate(c); r.Verdict != tt.old {
			t.Errorf("%s: %s %v in the old release, want %s", tt.rule, r.Verdict, r.Messages, tt.old)
		}
	}
}
