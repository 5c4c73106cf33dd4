package spec

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec/api"
)

// releases are the facts of releases that together have all names, read once.
var releases = sync.OnceValues(func() ([]*api.Release, error) { return covering("facts.txt") })

func covering(facts string) (out []*api.Release, err error) {
	stored, err := api.KnownOf(facts)
	if err != nil {
		return nil, err
	}
	names, err := stored.Cover()
	for _, name := range names {
		rel, err := stored.Load(name)
		if err != nil {
			return nil, err
		}
		out = append(out, rel)
	}
	return out, err
}

func known(t *testing.T) []*api.Release {
	t.Helper()
	return must(releases())(t)
}

// A header without a number may be older than the known releases: the pages may name what only these have.
func TestNamesOfOlderHeader(t *testing.T) {
	s := must(Embedded(""))(t)
	header := must(api.Load(api.Releases()[0]))(t)
	header.Release = ""
	if err := s.CheckNames(append(slices.Clone(known(t)), header)...); err != nil {
		t.Error(err)
	}
}

// namesPage is a page whose names are all known; the tests below break one each.
const namesPage = `page: ibv_reg_mr
title: memory regions
release: "65.0"
flags:
  MRAccess:
    enum: ibv_access_flags
    prefix: IBV_ACCESS_
    members: [IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRITE]
    ranges: [IBV_ACCESS_OPTIONAL_RANGE]
    names: {IBV_ACCESS_LOCAL_WRITE: Local}
    docs: {IBV_ACCESS_REMOTE_WRITE: a peer may write}
    doc: What a region may be used for.
enums:
  MTU: {enum: ibv_mtu, prefix: IBV_MTU_, doc: MTU}
records:
  MRInitAttr:
    c: ibv_mr_init_attr
    role: in
    mask: comp_mask
    new: [length]
    fields: {length: {go: Length}, addr: {go: Addr, bit: IBV_REG_MR_MASK_ADDR}}
    hide: {dmah: later}
    doc: What to register.
objects:
  MR: {c: ibv_mr, parents: [PD], destroy: ibv_dereg_mr, getters: {lkey: {go: LKey}}, doc: A region.}
verbs:
  ibv_reg_mr:
    returns: null_errno
    doc: registers host memory
    params:
      addr: {role: addr, len: length}
      access: {role: flags, type: MRAccess}
    methods: {PD.RegMR: {fixed: {length: SIZE_MAX}}}
rules:
  - id: VR-ibv_reg_mr-access-0001
    verb: ibv_reg_mr
    subject: access
    kind: requires
    when: [{of: pd.imported, eq: 0}, {of: length, ne: SIZE_MAX}]
    if: [IBV_ACCESS_REMOTE_WRITE]
    need: [IBV_ACCESS_LOCAL_WRITE]
    statement: REMOTE_WRITE needs LOCAL_WRITE
    fix: ["add {IBV_ACCESS_LOCAL_WRITE} as {enum ibv_access_flags} by {ibv_reg_mr}", "ask for less than {max_mr_size}", "pass {NULL} in {handle}"]
    section: DESCRIPTION
    passage: "0123456789abcdef"
    needs: state
    accept: {}
    reject: {}
  - id: VR-ibv_reg_mr-length-0002
    verb: ibv_reg_mr
    subject: length
    kind: cap_bound
    cap: device_attr.max_mr_size
    statement: too long
    fix: shorten it
    source: {project: a, release: b, file: c}
    needs: caps
    accept: {}
    reject: {}
notes:
  - {verb: ibv_reg_mr, statement: s, section: NOTES, passage: "0000000000000000"}
left_out: [{verb: ibv_reg_mr, statement: s, section: NOTES, passage: "0000000000000000", reason: r}]
skip: {ibv_reg_mr_iova2: called for ibv_reg_mr}
`

const namesPending = "functions: [ibv_alloc_mw]\nrecords: [ibv_mw, ibv_gid]\nenums: [ibv_mw_type]\nmacros: [ETHERNET_LL_SIZE]\n"

func TestNamesKnown(t *testing.T) {
	if err := checkText(t, namesPage, namesPending); err != nil {
		t.Error(err)
	}
}

func checkText(t *testing.T, page, pending string) error {
	t.Helper()
	s := must(Load(fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(page)}, "pending.yaml": {Data: []byte(pending)}}))(t)
	return s.CheckNames(known(t)...)
}

// transitionOf is what becomes transitionTo, a rule about transitions, for the tests of its names.
const (
	transitionOf = "kind: requires\n    when: [{of: pd.imported, eq: 0}, {of: length, ne: SIZE_MAX}]\n    if: " +
		"[IBV_ACCESS_REMOTE_WRITE]\n    need: [IBV_ACCESS_LOCAL_WRITE]\n"
	transitionTo = "kind: mask_for_transition\n    when: [{of: length, ne: SIZE_MAX}]\n    assumed: length\n    state: pd.imported\n " +
		"   next: length\n" +
		"    transitions: [{from: [IBV_MTU_256], to: [IBV_MTU_512], may: [IBV_ACCESS_LOCAL_WRITE]}, {from: [IBV_MTU_512], to: [IBV_MTU_512]}]\n"
)

// unknownNames replace one name of namesPage or namesPending each, and have exactly the error given.
var unknownNames = []struct{ name, old, new, want string }{
	{"flag of a rule", "if: [IBV_ACCESS_REMOTE_WRITE]", "if: [IBV_ACCESS_REMOTE_WRTE]",
		"ibv_reg_mr.yaml:40:10: VR-ibv_reg_mr-access-0001: no flag IBV_ACCESS_REMOTE_WRTE in enum ibv_access_flags (verbs.h); did you " +
			"mean IBV_ACCESS_REMOTE_WRITE?"},
	{"flag like one of another enum", "if: [IBV_ACCESS_REMOTE_WRITE]", "if: [IBV_MTU_255]",
		"ibv_reg_mr.yaml:40:10: VR-ibv_reg_mr-access-0001: no flag IBV_MTU_255 in enum ibv_access_flags (verbs.h); correct it, or name " +
			"the verbs.h that has it with --header"},
	{"constant of a fix", "add {IBV_ACCESS_LOCAL_WRITE}", "add {IBV_ACCESS_LOCAL_WRIT}",
		"ibv_reg_mr.yaml:43:11: VR-ibv_reg_mr-access-0001: fix: nothing that ibv_reg_mr could use is called IBV_ACCESS_LOCAL_WRIT; did " +
			"you mean IBV_ACCESS_LOCAL_WRITE?"},
	{"field of a fix", "than {max_mr_size}", "than {max_mr_sise}",
		"ibv_reg_mr.yaml:43:86: VR-ibv_reg_mr-access-0001: fix: nothing that ibv_reg_mr could use is called max_mr_sise; did you mean " +
			"max_mr_size?"},
	{"every flag of a rule", "if: [IBV_ACCESS_REMOTE_WRITE]\n    need: [IBV_ACCESS_LOCAL_WRITE]",
		"if: [IBV_ACCES_REMOTE_WRITE]\n    need: [IBV_NOTHING_LIKE_IT]",
		"ibv_reg_mr.yaml:40:10: VR-ibv_reg_mr-access-0001: no flag IBV_ACCES_REMOTE_WRITE in enum ibv_access_flags (verbs.h); did you " +
			"mean IBV_ACCESS_REMOTE_WRITE?\n" +
			"ibv_reg_mr.yaml:41:12: VR-ibv_reg_mr-access-0001: no known release has the constant IBV_NOTHING_LIKE_IT; correct it, or name " +
			"the verbs.h that has it with --header"},
	{"subject", "subject: access", "subject: acces",
		"ibv_reg_mr.yaml:37:14: VR-ibv_reg_mr-access-0001: acces leads nowhere: ibv_reg_mr has no parameter acces; did you mean access?"},
	{"property", "of: pd.imported", "of: pd.importd",
		"ibv_reg_mr.yaml:39:17: VR-ibv_reg_mr-access-0001: pd.importd leads nowhere: ibv_pd has no field or property importd; did you " +
			"mean imported?"},
	{"path into a scalar", "of: length, ne", "of: length.x, ne",
		"ibv_reg_mr.yaml:39:43: VR-ibv_reg_mr-access-0001: length.x leads nowhere: length has no field or property x; correct it, or " +
			"name the verbs.h that has it with --header"},
	{"state of a transition", transitionOf, strings.Replace(transitionTo, "IBV_MTU_512]", "IBV_MTU_513]", 1),
		"ibv_reg_mr.yaml:43:46: VR-ibv_reg_mr-access-0001: no known release has the constant IBV_MTU_513; did you mean IBV_MTU_512?"},
	{"flag of a transition", transitionOf, strings.Replace(transitionTo, "LOCAL_WRITE]", "LOCAL_WRIT]", 1),
		"ibv_reg_mr.yaml:43:66: VR-ibv_reg_mr-access-0001: no flag IBV_ACCESS_LOCAL_WRIT in enum ibv_access_flags (verbs.h); did you " +
			"mean IBV_ACCESS_LOCAL_WRITE?"},
	{"path of a state", transitionOf, strings.Replace(transitionTo, "pd.imported", "pd.importd", 1),
		"ibv_reg_mr.yaml:41:12: VR-ibv_reg_mr-access-0001: pd.importd leads nowhere: ibv_pd has no field or property importd; did you " +
			"mean imported?"},
	{"a transition twice", transitionOf, strings.Replace(transitionTo, "from: [IBV_MTU_512]", "from: [IBV_MTU_256]", 1),
		"ibv_reg_mr.yaml:43:92: VR-ibv_reg_mr-access-0001: a second transition from IBV_MTU_256 to IBV_MTU_512; keep one of them"},
	{"constant of a case", "reject: {}\n  - id",
		"reject: {access: [IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_WRTE], addr: \"@a\", length: page}\n  - id",
		"ibv_reg_mr.yaml:48:13: VR-ibv_reg_mr-access-0001: no known release has the constant IBV_ACCESS_REMOTE_WRTE; did you mean " +
			"IBV_ACCESS_REMOTE_WRITE?"},
	{"capability of a case", "reject: {}\nnotes",
		"reject: {args: {pd: {context: \"@c\"}}, caps: {device_attr: {max_mr_size: SIZE_MAXX}}}\nnotes",
		"ibv_reg_mr.yaml:59:13: VR-ibv_reg_mr-length-0002: no known release has the constant SIZE_MAXX; did you mean SIZE_MAX?"},
	{"flags of a handle", "{of: pd.imported, eq: 0}", "{of: pd.imported, eq: 0}, {of: pd, has: [IBV_ACCESS_MW_BIND]}",
		"ibv_reg_mr.yaml:39:43: VR-ibv_reg_mr-access-0001: of: pd is of type struct ibv_pd *, which has no flags; correct the path, or " +
			"take another kind of rule"},
	{"number of a handle", "{of: pd.imported, eq: 0}", "{of: pd.imported, eq: pd}",
		"ibv_reg_mr.yaml:39:34: VR-ibv_reg_mr-access-0001: eq: pd is of type struct ibv_pd *, which is no number; correct the path, or " +
			"take another kind of rule"},
	{"NULL of a number", "{of: pd.imported, eq: 0}", "{of: pd.imported, eq: 0}, {of: length, null: true}",
		"ibv_reg_mr.yaml:39:43: VR-ibv_reg_mr-access-0001: of: length is of type size_t, which cannot be NULL; correct the path, or " +
			"take another kind of rule"},
	{"verb of a rule", "VR-ibv_reg_mr-length-0002\n    verb: ibv_reg_mr\n", "VR-ibv_reg_mrr-length-0002\n    verb: ibv_reg_mrr\n",
		"ibv_reg_mr.yaml:50:11: VR-ibv_reg_mrr-length-0002: no known release has the function ibv_reg_mrr; did you mean ibv_reg_mr?"},
	{"state that is none", "pd.imported", "access",
		"ibv_reg_mr.yaml:46:12: VR-ibv_reg_mr-access-0001: needs: state does not match its paths; write needs: args"},
	{"state that is told otherwise", "needs: state", "needs: args",
		"ibv_reg_mr.yaml:46:12: VR-ibv_reg_mr-access-0001: needs: args does not match its paths; write needs: state"},
	{"capability", "device_attr.max_mr_size", "device_attr.max_mr_sise",
		"ibv_reg_mr.yaml:53:10: VR-ibv_reg_mr-length-0002: device_attr.max_mr_sise leads nowhere: struct ibv_device_attr has no field " +
			"max_mr_sise; did you mean max_mr_size?"},
	{"kind of capability", "device_attr.max_mr_size", "device.max_mr_size",
		"ibv_reg_mr.yaml:53:10: VR-ibv_reg_mr-length-0002: device.max_mr_size leads nowhere: no capabilities are called device; the " +
			"roots are comp_cntr_caps, context, device_attr, device_attr_ex, port_attr, qp.cap, srq_attr"},
	{"enum of flags", "enum: ibv_access_flags", "enum: ibv_acces_flags",
		"ibv_reg_mr.yaml:6:11: MRAccess: no known release has enum ibv_acces_flags; did you mean ibv_access_flags?"},
	{"member of flags", "members: [IBV_ACCESS_LOCAL_WRITE,", "members: [IBV_MTU_256,",
		"ibv_reg_mr.yaml:8:15: MRAccess: no flag IBV_MTU_256 in enum ibv_access_flags (verbs.h); correct it, or name the verbs.h that " +
			"has it with --header"},
	{"range", "IBV_ACCESS_OPTIONAL_RANGE", "IBV_ACCESS_OPTIONAL_RANG",
		"ibv_reg_mr.yaml:9:14: MRAccess: no known release has the constant IBV_ACCESS_OPTIONAL_RANG; did you mean IBV_ACCESS_OPTIONAL_RANGE?"},
	{"key of docs", "docs: {IBV_ACCESS_REMOTE_WRITE", "docs: {IBV_ACCESS_REMOTE_WRIT",
		"ibv_reg_mr.yaml:11:12: MRAccess: no flag IBV_ACCESS_REMOTE_WRIT in enum ibv_access_flags (verbs.h); did you mean " +
			"IBV_ACCESS_REMOTE_WRITE?"},
	{"enum", "enum: ibv_mtu", "enum: ibv_mtuu",
		"ibv_reg_mr.yaml:14:15: MTU: no known release has enum ibv_mtuu; did you mean ibv_mtu?"},
	{"record", "c: ibv_mr_init_attr", "c: ibv_mr_init_atr",
		"ibv_reg_mr.yaml:17:8: MRInitAttr: no known release has struct ibv_mr_init_atr; did you mean ibv_mr_init_attr?"},
	{"field", "addr: {go: Addr, bit", "adr: {go: Addr, bit",
		"ibv_reg_mr.yaml:21:36: MRInitAttr: struct ibv_mr_init_attr has no field adr; did you mean addr?"},
	{"hidden field", "hide: {dmah:", "hide: {dma:",
		"ibv_reg_mr.yaml:22:12: MRInitAttr: struct ibv_mr_init_attr has no field dma; did you mean dmah?"},
	{"mask", "mask: comp_mask", "mask: compmask",
		"ibv_reg_mr.yaml:19:11: MRInitAttr: struct ibv_mr_init_attr has no field compmask; did you mean comp_mask?"},
	{"mask bit", "IBV_REG_MR_MASK_ADDR", "IBV_REG_MR_MASK_ADR",
		"ibv_reg_mr.yaml:21:58: MRInitAttr.addr: no known release has the constant IBV_REG_MR_MASK_ADR; did you mean IBV_REG_MR_MASK_ADDR?"},
	{"argument of the constructor", "new: [length]", "new: [lenght]",
		"ibv_reg_mr.yaml:20:11: MRInitAttr: new: lenght is not among its fields; did you mean length?"},
	{"object", "c: ibv_mr,", "c: ibv_mrr,",
		"ibv_reg_mr.yaml:25:11: MR: no known release has struct ibv_mrr; did you mean ibv_mr?"},
	{"getter", "getters: {lkey:", "getters: {key:",
		"ibv_reg_mr.yaml:25:67: MR: struct ibv_mr has no field key; did you mean lkey?"},
	{"destroy", "destroy: ibv_dereg_mr", "destroy: ibv_dereg",
		"ibv_reg_mr.yaml:25:43: MR: no known release has the function ibv_dereg; did you mean ibv_dereg_mr?"},
	{"verb", "verbs:\n  ibv_reg_mr:", "verbs:\n  ibv_reg_mrx:",
		"ibv_reg_mr.yaml:27:3: ibv_reg_mrx: no known release has the function ibv_reg_mrx; did you mean ibv_reg_mr?"},
	{"parameter", "      access: {role", "      acess: {role",
		"ibv_reg_mr.yaml:32:7: ibv_reg_mr: it has no parameter acess; did you mean access?"},
	{"length of a parameter", "len: length", "len: lenght",
		"ibv_reg_mr.yaml:31:31: ibv_reg_mr: it has no parameter lenght; did you mean length?"},
	{"fixed parameter", "fixed: {length:", "fixed: {lenth:",
		"ibv_reg_mr.yaml:33:34: ibv_reg_mr: it has no parameter lenth; did you mean length?"},
	{"fixed value", "length: SIZE_MAX}", "length: IBV_SIZE}",
		"ibv_reg_mr.yaml:33:42: PD.RegMR: no known release has the constant IBV_SIZE; correct it, or name the verbs.h that has it with --header"},
	{"note", "notes:\n  - {verb: ibv_reg_mr,", "notes:\n  - {verb: ibv_reg_mmr,",
		"ibv_reg_mr.yaml:61:5: note: no known release has the function ibv_reg_mmr; did you mean ibv_reg_mr?"},
	{"left out", "left_out: [{verb: ibv_reg_mr,", "left_out: [{verb: ibv_reg_mmr,",
		"ibv_reg_mr.yaml:62:12: left_out: no known release has the function ibv_reg_mmr; did you mean ibv_reg_mr?"},
	{"skip", "skip: {ibv_reg_mr_iova2:", "skip: {ibv_reg_mr_iova3:",
		"ibv_reg_mr.yaml:63:8: ibv_reg_mr_iova3: no known release declares it; did you mean ibv_reg_mr_iova?"},
	{"pending function", "functions: [ibv_alloc_mw]", "functions: [ibv_alloc_mww]",
		"pending.yaml:1:13: ibv_alloc_mww: no known release has it among its functions; did you mean ibv_alloc_mw?"},
	{"pending record", "[ibv_mw,", "[ibv_mwx,",
		"pending.yaml:2:11: ibv_mwx: no known release has it among its records; did you mean ibv_mw?"},
	{"pending tag", "[ibv_mw,", "[struct ibv_mwx,",
		"pending.yaml:2:11: struct ibv_mwx: no known release has it among its records; did you mean ibv_mw?"},
	{"pending enum", "enums: [ibv_mw_type]", "enums: [ibv_mw_typ]",
		"pending.yaml:3:9: ibv_mw_typ: no known release has it among its enums; did you mean ibv_mw_type?"},
	{"pending in the wrong category", "macros: [ETHERNET_LL_SIZE]", "macros: [IBV_MTU_256]",
		"pending.yaml:4:10: IBV_MTU_256: no known release has it among its macros; correct it, or name the verbs.h that has it with --header"},
}

func TestNamesUnknown(t *testing.T) {
	for _, tt := range unknownNames {
		t.Run(tt.name, func(t *testing.T) {
			page, pending := strings.Replace(namesPage, tt.old, tt.new, 1), strings.Replace(namesPending, tt.old, tt.new, 1)
			if page == namesPage && pending == namesPending {
				t.Fatal("the case changes nothing")
			}
			err := checkText(t, page, pending)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// A name that only an older or only a newer release has is known.
func TestNamesOfAnyRelease(t *testing.T) {
	s := must(Load(fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(namesPage)}}))(t)
	all := known(t)
	if err := s.CheckNames(all...); err != nil {
		t.Error(err)
	}
	if err := s.CheckNames(all[0]); err == nil || !strings.Contains(err.Error(), "no known release has struct ibv_mr_init_attr") {
		t.Errorf("the oldest release alone: %v", err)
	}
}

// must returns what a call gave, if it succeeded.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
