package explain

import (
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// Every comparison, as a condition (then the call is refused when it holds) and as a demand (then it is refused when
// it is not met). For each, arguments under which it holds, under which it does not, and under which nothing is told.
var atomTests = []struct {
	atom            string
	yes, no, untold []string
}{
	{"of: access, has: [TST_F_A, TST_F_B]", []string{"{access: 1}", "{access: TST_F_B|TST_F_C}"},
		[]string{"{access: 0}", "{access: TST_F_C}"}, []string{"{access: '@a'}"}},
	{"of: access, all: [TST_F_A, TST_F_B]", []string{"{access: 3}", "{access: 7}"}, []string{"{access: 1}", "{access: 0}"},
		[]string{"{access: '@a'}"}},
	{"of: access, lacks: [TST_F_A, TST_F_B]", []string{"{access: 0}", "{access: TST_F_C}"}, []string{"{access: 1}", "{access: 3}"},
		[]string{"{access: '@a'}"}},
	{"of: length, eq: 5", []string{"{length: 5}", "{length: 0x5}", "{length: 0o5}"}, []string{"{length: 4}"}, []string{"{length: '@l'}"}},
	{"of: length, eq: offset", []string{"{length: 5, offset: 5}"}, []string{"{length: 5, offset: 6}"},
		[]string{"{length: 5}", "{length: 5, offset: '@o'}"}},
	{"of: length, eq: SIZE_MAX", []string{"{length: SIZE_MAX}", "{length: -1}", "{length: UINT64_MAX}"},
		[]string{"{length: 0xffffffff}"}, nil},
	{"of: fd, eq: -1", []string{"{fd: -1}", "{fd: 0xffffffff}"}, []string{"{fd: 1}"}, nil},
	{"of: mode, eq: TST_M_TWO", []string{"{mode: TST_M_TWO}", "{mode: 2}"}, []string{"{mode: TST_M_ONE}"}, []string{"{mode: '@m'}"}},
	{"of: length, ne: 5", []string{"{length: 4}"}, []string{"{length: 5}"}, []string{"{length: '@l'}"}},
	{"of: mode, in: [TST_M_ONE, 10, length]", []string{"{mode: 1}", "{mode: TST_M_TEN}", "{mode: 4, length: 4}"},
		[]string{"{mode: 2, length: 3}"}, []string{"{mode: 2}", "{mode: '@m', length: 1}"}},
	{"of: length, lt: 5", []string{"{length: 4}"}, []string{"{length: 5}", "{length: 6}"}, []string{"{length: '@l'}"}},
	{"of: length, le: 5", []string{"{length: 4}", "{length: 5}"}, []string{"{length: 6}"}, []string{"{length: '@l'}"}},
	{"of: length, gt: 5", []string{"{length: 6}", "{length: SIZE_MAX}"}, []string{"{length: 5}", "{length: 4}"}, []string{"{length: '@l'}"}},
	{"of: fd, ge: 0", []string{"{fd: 0}", "{fd: 5}"}, []string{"{fd: -5}"}, []string{"{fd: '@f'}"}},
	{"of: addr, null: true", []string{"{addr: null}", "{addr: 0}"}, []string{"{addr: '@a'}", "{addr: 4096}"}, nil},
	{"of: addr, null: false", []string{"{addr: '@a'}", "{addr: 4096}"}, []string{"{addr: null}"}, nil},
	{"of: cb, null: false", []string{"{cb: '@f'}"}, []string{"{cb: null}"}, nil},
	{"of: attr, null: true", []string{"{attr: null}"}, []string{"{attr: {}}", "{attr: '@a'}"}, nil},
	{"of: attr.x, set: true", []string{"{attr: {x: 1}}", "{attr: {x: '@x'}}"}, []string{"{attr: {x: 0}}"}, nil},
	{"of: attr.pd, set: false", []string{"{attr: {pd: null}}"}, []string{"{attr: {pd: '@p'}}", "{attr: {pd: {}}}"}, nil},
	{"of: name, set: true", []string{"{name: eth0}"}, []string{"{name: null}"}, nil},
	{"of: wr, set: true", []string{"{wr: [{}]}", "{wr: {}}"}, []string{"{wr: []}", "{wr: null}"}, nil},
	{"of: pd, same: mr.pd", []string{"{pd: '@p', mr: {pd: '@p'}}", "{pd: null, mr: {pd: null}}"},
		[]string{"{pd: '@p', mr: {pd: '@q'}}", "{pd: '@p', mr: {pd: null}}"},
		[]string{"{pd: '@p'}", "{pd: '@p', mr: '@m'}", "{pd: {}, mr: {pd: {}}}"}},
	{"of: mr.pd.mrs, gt: 0", []string{"{mr: {pd: {mrs: 1}}}", "{mr: {pd: {mrs: ['@a', '@b']}}}"},
		[]string{"{mr: {pd: {mrs: 0}}}", "{mr: {pd: {mrs: []}}}"}, []string{"{mr: {pd: '@p'}}", "{mr: {}}"}},
	{"of: pd.imported, set: true", []string{"{pd: {imported: true}}"}, []string{"{pd: {imported: false}}"},
		[]string{"{pd: '@p'}", "{pd: {}}", "{pd: null}"}},
	{"of: attr.flag, eq: 1", []string{"{attr: {flag: 1}}", "{attr: {flag: true}}"}, []string{"{attr: {flag: 0}}"}, nil},
	{"of: attr.u.rdma.key, eq: 7", []string{"{attr: {u: {rdma: {key: 7}}}}", "{attr.u.rdma.key: 7}", "{attr: {u.rdma.key: 7}}"},
		[]string{"{attr: {u: {rdma: {key: 8}}}}"}, nil},
	{"of: 'wr[].op', eq: TST_M_TWO", []string{"{wr: {op: 2}}"}, []string{"{wr: {op: 1}}"}, []string{"{wr: []}"}},
}

func TestAtoms(t *testing.T) {
	for _, tt := range atomTests {
		t.Run(tt.atom, func(t *testing.T) {
			// As a condition: a rule that refuses every call to which it applies.
			when := fixtureSpec(t, "kind: allowed_set, subject: small, values: [7], when: [{"+tt.atom+"}]")
			must := fixtureSpec(t, "kind: depends_on, must: [{"+tt.atom+"}]")
			for _, args := range tt.yes {
				want(t, when, args, Reject, "condition that holds")
				want(t, must, args, Accept, "demand that is met")
			}
			for _, args := range tt.no {
				want(t, when, args, Accept, "condition that does not hold")
				want(t, must, args, Reject, "demand that is not met")
			}
			for _, args := range tt.untold {
				want(t, when, args, Accept, "condition on what is not told")
				want(t, must, args, Accept, "demand on what is not told")
			}
			want(t, must, "{}", Accept, "demand on what is left out")
		})
	}
}

// What is left out is neutral in a condition.
func TestLeftOut(t *testing.T) {
	for atom, holds := range map[string]bool{
		"of: access, has: [TST_F_A]": false, "of: access, all: [TST_F_A]": false, "of: access, lacks: [TST_F_A]": true,
		"of: attr.x, set: true": false, "of: attr.x, set: false": true,
		"of: length, eq: 0": false, "of: length, ne: 5": false, "of: length, le: 0": false, "of: mode, in: [0]": false,
		"of: addr, null: true": false, "of: addr, null: false": true, // must not be NULL, so it is not
		"of: cb, null: true": false, "of: cb, null: false": false, // may be either
		"of: pd, same: mr.pd": false, "of: pd.imported, set: false": false, // unknown
	} {
		s := fixtureSpec(t, "kind: allowed_set, subject: small, values: [7], when: [{"+atom+"}]")
		verdict := Accept
		if holds {
			verdict = Reject
		}
		want(t, s, "{}", verdict, atom)
	}
}

// A mask that is left out has the bits of the fields given; one that is written has what is written.
func TestDerivedMask(t *testing.T) {
	s := fixtureSpec(t, "kind: allowed_set, subject: small, values: [7], when: [{of: attr.comp_mask, has: [TST_MASK_X]}]")
	want(t, s, "{attr: {x: 5}}", Reject, "field given, mask left out")
	want(t, s, "{attr: {x: 0}}", Accept, "neutral field")
	want(t, s, "{attr: {x: 5, comp_mask: 0}}", Accept, "mask written")
	want(t, s, "{attr: {comp_mask: 1}}", Reject, "mask alone")
	want(t, s, "{attr: {y: 5}}", Accept, "field without a bit")
}

// Rules that make fields the masks of each other are judged all the same.
func TestMasksOfEachOther(t *testing.T) {
	s := fixtureSpec(t, "kind: gated_by, subject: attr.y, mask: attr.y, bit: TST_MASK_Y")
	want(t, s, "{}", Accept, "mask of itself, left out")
	want(t, s, "{attr: {y: 4}}", Reject, "mask of itself, without its bit")
}

// want judges a call that carries small: 3 beside its arguments, for rules that refuse that value.
func want(t *testing.T, s *spec.Spec, args, verdict, what string) {
	t.Helper()
	with := "{small: 3}"
	if args != "{}" {
		with = "{small: 3, " + args[1:]
	}
	if r := judge(t, s, with, ""); r.Verdict != verdict {
		t.Errorf("%s: %s: %s %v, want %s", what, args, r.Verdict, r.Messages, verdict)
	}
}
