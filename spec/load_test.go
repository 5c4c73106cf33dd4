package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec/role"
)

// goodPage is a page that loads; the tests below break it in one place each.
const goodPage = `page: ibv_reg_mr
title: memory regions
release: "65.0"
flags:
  MRAccess:
    enum: ibv_access_flags
    prefix: IBV_ACCESS_
    doc: What a region may be used for.
verbs:
  ibv_reg_mr:
    returns: null_errno
    creates: MR
    doc: registers host memory
    params:
      pd: {role: handle, type: PD}
      access: {role: flags, type: MRAccess}
    methods:
      PD.RegMR: {}
rules:
  - id: VR-ibv_reg_mr-access-0001
    verb: ibv_reg_mr
    subject: access
    kind: requires
    if: [IBV_ACCESS_REMOTE_WRITE]
    need: [IBV_ACCESS_LOCAL_WRITE]
    statement: REMOTE_WRITE needs LOCAL_WRITE
    fix: add IBV_ACCESS_LOCAL_WRITE
    section: DESCRIPTION
    passage: "0123456789abcdef"
    needs: args
    accept: {access: IBV_ACCESS_LOCAL_WRITE}
    reject: {access: IBV_ACCESS_REMOTE_WRITE}
`

// loadText loads one page of the given text.
func loadText(name, text string) (*Spec, error) {
	return Load(fstest.MapFS{name: {Data: []byte(text)}})
}

func TestLoadGood(t *testing.T) {
	s := must(loadText("ibv_reg_mr.yaml", goodPage))(t)
	r := s.RuleByID("VR-ibv_reg_mr-access-0001")
	if r == nil || r.Kind != KindRequires || r.Severity != SeverityError || r.Page != "ibv_reg_mr" {
		t.Fatalf("rule read as %+v", r)
	}
	if r.Pos != (Pos{"ibv_reg_mr.yaml", 20, 5}) {
		t.Errorf("rule at %v", r.Pos)
	}
	v := s.VerbByC("ibv_reg_mr")
	if v == nil || len(v.Params) != 2 || v.Params[1].C != "access" || v.Params[1].Role != role.Flags {
		t.Fatalf("verb read as %+v", v)
	}
	if got := s.RulesOf("ibv_reg_mr"); len(got) != 1 || got[0] != r {
		t.Errorf("rules of the verb: %v", got)
	}
	if s.FlagByGo("MRAccess").Bits != 32 {
		t.Errorf("flag type %+v", s.FlagByGo("MRAccess"))
	}
}

func TestEmbedded(t *testing.T) {
	s := must(Embedded(""))(t)
	if s.VerbByC("ibv_alloc_dm") == nil || s.PageByName("ibv_reg_mr") == nil {
		t.Error("the embedded pages lack a verb of the first families")
	}
	if got := s.PageByName("ibv_alloc_dm").Pos.File; got != "spec/verbs/ibv_alloc_dm.yaml" {
		t.Errorf("file told as %s", got)
	}
}

// id is the rule of goodPage.
const id = "VR-ibv_reg_mr-access-0001"

// mistakes replace one text of goodPage each, and have exactly the error given.
var mistakes = []struct{ name, old, new, want string }{
	{"unknown page key", "title:", "titel:",
		"ibv_reg_mr.yaml:1:1: ibv_reg_mr: key title is missing; add it\n" +
			"ibv_reg_mr.yaml:2:1: ibv_reg_mr: unknown key titel; did you mean title?"},
	{"unknown rule key", "    fix: add", "    fxi: add",
		"ibv_reg_mr.yaml:20:5: " + id + ": key fix is missing; add it\n" +
			"ibv_reg_mr.yaml:27:5: " + id + ": unknown key fxi; did you mean fix?"},
	{"open brace of a fix", "fix: add IBV_ACCESS_LOCAL_WRITE", "fix: add {IBV_ACCESS_LOCAL_WRITE",
		"ibv_reg_mr.yaml:27:10: " + id + ": fix: \"add {IBV_ACCESS_LOCAL_WRITE\" has a brace that marks no name; write a name as " +
			"{IBV_ACCESS_LOCAL_WRITE}"},
	{"no fix", "fix: add IBV_ACCESS_LOCAL_WRITE", "fix: []", "ibv_reg_mr.yaml:27:10: " + id + ": fix: an empty list; say what to do"},
	{"far key", "      PD.RegMR: {}", "      PD.RegMR: {zzzzzzz: 1}",
		"ibv_reg_mr.yaml:18:18: PD.RegMR: unknown key zzzzzzz; the keys here are doc, fixed, form, implies_flags, pair"},
	{"count 0", "role: flags, type: MRAccess}", "role: out, count: 0}",
		"ibv_reg_mr.yaml:16:34: ibv_reg_mr.access: 0 is no count of 1 to 64; correct count:"},
	{"count 65", "role: flags, type: MRAccess}", "role: out, count: 65}",
		"ibv_reg_mr.yaml:16:34: ibv_reg_mr.access: 65 is no count of 1 to 64; correct count:"},
	{"count many", "role: flags, type: MRAccess}", "role: out, count: many}",
		"ibv_reg_mr.yaml:16:34: ibv_reg_mr.access: many is no count of 1 to 64; correct count:"},
	{"key of one other role", "role: flags, type: MRAccess}", "role: flags, type: MRAccess, count: 2}",
		"ibv_reg_mr.yaml:16:52: ibv_reg_mr.access: a parameter of role flags cannot have count:; remove count:, or give the parameter " +
			"the role out"},
	{"key of other roles", "role: flags, type: MRAccess}", "role: flags, type: MRAccess, len: pd}",
		"ibv_reg_mr.yaml:16:50: ibv_reg_mr.access: a parameter of role flags cannot have len: pd; remove len:, or correct role:"},
	{"type of a role without", "role: flags, type: MRAccess}", "role: bytes, type: MRAccess}",
		"ibv_reg_mr.yaml:16:35: ibv_reg_mr.access: a parameter of role bytes cannot have type: MRAccess; leave type: out: the Go type " +
			"follows from the C type"},
	{"key that a role needs", "role: flags, type: MRAccess}", "role: slice, type: MRAccess}",
		"ibv_reg_mr.yaml:16:15: ibv_reg_mr.access: a parameter of role slice needs len:; add it"},
	{"duplicate key", "title: memory", "page: ibv_reg_mr\ntitle: memory",
		"ibv_reg_mr.yaml:2:1: ibv_reg_mr: key page twice; first on line 1; keep one of them"},
	{"duplicate name", "      access: {role: flags", "      pd: {role: flags",
		"ibv_reg_mr.yaml:16:7: ibv_reg_mr: key pd twice; first on line 15; keep one of them"},
	{"number for text", `release: "65.0"`, `release: 65.0`,
		`ibv_reg_mr.yaml:3:10: ibv_reg_mr: release: a floating-point number where a text belongs; put it in quotes: "65.0"`},
	{"text for list", "if: [IBV_ACCESS_REMOTE_WRITE]", "if: IBV_ACCESS_REMOTE_WRITE",
		"ibv_reg_mr.yaml:24:9: " + id + ": if: a text where a list belongs; write [...], or lines that begin with a dash"},
	{"text for truth", "role: handle, type: PD}", "role: handle, type: PD, null: yes}",
		"ibv_reg_mr.yaml:15:42: ibv_reg_mr.pd: null: a text where true or false belongs; write true or false"},
	{"nothing for text", "title: memory regions", "title:",
		"ibv_reg_mr.yaml:2:7: ibv_reg_mr: title: nothing where a text belongs; write one value"},
	{"empty text", "title: memory regions", `title: " "`,
		"ibv_reg_mr.yaml:2:8: ibv_reg_mr: title is empty; write it, or leave the key out"},
	{"a mark of direction", "title: memory regions", "title: memory \u202eregions",
		"ibv_reg_mr.yaml:2:8: ibv_reg_mr: title contains the invisible character \\u202e; remove it"},
	{"repeat in a list", "need: [IBV_ACCESS_LOCAL_WRITE]", "need: [IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE]",
		"ibv_reg_mr.yaml:25:36: " + id + ": need: IBV_ACCESS_LOCAL_WRITE twice in the list; keep one of them"},
	{"role", "role: handle", "role: handel",
		"ibv_reg_mr.yaml:15:18: ibv_reg_mr.pd: role: handel is not known here; did you mean handle?"},
	{"unknown kind", "kind: requires", "kind: required_if",
		"ibv_reg_mr.yaml:23:11: " + id + ": unknown rule kind required_if; did you mean required?"},
	{"key of another kind", "    needs: args", "    needs: args\n    max: 7",
		"ibv_reg_mr.yaml:31:10: " + id + ": a rule of kind requires does not use max; leave it out, or take another kind"},
	{"kind lacks its key", "    need: [IBV_ACCESS_LOCAL_WRITE]\n", "",
		"ibv_reg_mr.yaml:23:11: " + id + ": a rule of kind requires needs need; add it"},
	{"no comparison", "kind: requires\n    if: [IBV_ACCESS_REMOTE_WRITE]\n    need: [IBV_ACCESS_LOCAL_WRITE]",
		"kind: depends_on\n    must: []",
		"ibv_reg_mr.yaml:24:11: " + id + ": must: an empty list; name one at least, or leave the key out"},
	{"transition without its end", "kind: requires\n    if: [IBV_ACCESS_REMOTE_WRITE]\n    need: [IBV_ACCESS_LOCAL_WRITE]",
		"kind: mask_for_transition\n    state: a\n    next: b\n    transitions: [{from: [A], my: [B]}]",
		"ibv_reg_mr.yaml:26:19: " + id + ": key to is missing; add it\n" +
			"ibv_reg_mr.yaml:26:31: " + id + ": unknown key my; did you mean may?"},
	{"mask_for_transition without its table",
		"kind: requires\n    if: [IBV_ACCESS_REMOTE_WRITE]\n    need: [IBV_ACCESS_LOCAL_WRITE]",
		"kind: mask_for_transition\n    state: a",
		"ibv_reg_mr.yaml:23:11: " + id + ": a rule of kind mask_for_transition needs next; add it\n" +
			"ibv_reg_mr.yaml:23:11: " + id + ": a rule of kind mask_for_transition needs transitions; add it"},
	{"caps of another kind", "needs: args", "needs: caps",
		"ibv_reg_mr.yaml:20:5: " + id + ": kind requires and needs: caps do not go together; a kind with the key cap needs caps, and no " +
			"other does"},
	{"no source", "    passage: \"0123456789abcdef\"\n", "",
		"ibv_reg_mr.yaml:20:5: " + id + ": neither section and passage nor source is given; say where the rule is"},
	{"lint without note", "kind: requires", "kind: requires\n    severity: lint",
		"ibv_reg_mr.yaml:20:5: " + id + ": a lint says neither who accepts the call nor why it is a lint; add accepted_by, refused_by or note"},
	{"errno", "    needs: args", "    needs: args\n    errno: einval",
		"ibv_reg_mr.yaml:31:12: " + id + ": errno: einval is no name of an errno; write one like ENOENT"},
	{"errno of a note", "rules:\n", "notes:\n  - {verb: ibv_reg_mr, statement: a, errno: 22, " +
		"source: {project: a, release: b, file: c}}\nrules:\n",
		"ibv_reg_mr.yaml:20:45: ibv_reg_mr: errno: an integer where a text belongs; put it in quotes: \"22\""},
	{"note with errno and without a place", "rules:\n", "notes:\n  - {verb: ibv_reg_mr, statement: a, errno: ENOENT}\nrules:\n",
		"ibv_reg_mr.yaml:20:5: ibv_reg_mr: key section is missing; add it\n" +
			"ibv_reg_mr.yaml:20:5: ibv_reg_mr: key passage is missing; add it"},
	{"note with a source and without errno", "rules:\n", "notes:\n  - {verb: ibv_reg_mr, statement: a, " +
		"source: {project: a, release: b, file: c}}\nrules:\n",
		"ibv_reg_mr.yaml:20:5: ibv_reg_mr: key section is missing; add it\n" +
			"ibv_reg_mr.yaml:20:5: ibv_reg_mr: key passage is missing; add it\n" +
			"ibv_reg_mr.yaml:20:38: ibv_reg_mr: unknown key source; the keys here are by, errno, passage, section, statement, verb"},
	{"parties of an error", "kind: requires", "kind: requires\n    accepted_by: [{provider: siw, source: {project: a, release: b, file: c}}]",
		"ibv_reg_mr.yaml:24:18: " + id + ": accepted_by on a rule that refuses the call; " +
			"write severity: lint, or name only mlx5-vfio and kernels and releases before the floor"},
	{"atom without test", "    if: [", "    when: [{of: access}]\n    if: [",
		"ibv_reg_mr.yaml:24:12: " + id + ": when: a comparison of access has 0 tests; " +
			"give exactly one of has, all, lacks, eq, ne, in, lt, le, gt, ge, null, set, same"},
	{"atom with two tests", "    if: [", "    when: [{of: access, eq: 1, null: true}]\n    if: [",
		"ibv_reg_mr.yaml:24:12: " + id + ": when: a comparison of access has 2 tests; " +
			"give exactly one of has, all, lacks, eq, ne, in, lt, le, gt, ge, null, set, same"},
	{"case is no mapping", "accept: {access: IBV_ACCESS_LOCAL_WRITE}", "accept: [1]",
		"ibv_reg_mr.yaml:31:13: " + id + ": accept: a list where a mapping belongs; write key: value"},
	{"number of a case", "reject: {access: IBV_ACCESS_REMOTE_WRITE}", "reject: {access: 017}",
		"ibv_reg_mr.yaml:32:22: " + id + ": reject.access: 017 is not an integer of this form; write decimal, 0x hexadecimal or 0o octal"},
	{"not YAML", "title: memory regions", "title: @memory",
		"ibv_reg_mr.yaml:2:1: ibv_reg_mr: not YAML: found character that cannot start any token; put a value that begins with @ in quotes"},
	{"second document", "rules:\n", "---\nrules:\n",
		"ibv_reg_mr.yaml:19:1: ibv_reg_mr: a second document begins; one file holds one document"},
	{"page name", "page: ibv_reg_mr", "page: ibv_reg_mw",
		"ibv_reg_mr.yaml:1:1: ibv_reg_mw: the file is called ibv_reg_mr.yaml; name the file ibv_reg_mw.yaml, one page a file"},
}

func TestLoadMistakes(t *testing.T) {
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(goodPage, tt.old, tt.new, 1)
			if text == goodPage {
				t.Fatal("the case changes nothing")
			}
			_, err := loadText("ibv_reg_mr.yaml", text)
			if err == nil {
				t.Fatal("loaded")
			}
			if err.Error() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", err, tt.want)
			}
		})
	}
}

func TestLoadEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", "# words\n", "---\n", "~\n"} {
		_, err := loadText("ibv_reg_mr.yaml", text)
		if want := "ibv_reg_mr.yaml:1:1: ibv_reg_mr: the file is empty; write it, or remove the file"; err == nil || err.Error() != want {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestLoadGoNames(t *testing.T) {
	_, err := loadText("ibv_reg_mr.go.yaml", goodPage)
	want := "ibv_reg_mr.go.yaml:1:1: ibv_reg_mr: the file is called ibv_reg_mr.go.yaml; write extends: in place of page:, as its Go " +
		"names extend the page"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestLoadUnreadable(t *testing.T) {
	_, err := Load(fstest.MapFS{"x.yaml": {Data: []byte("page: x")}}, "y.yaml")
	if want := "y.yaml: spec: cannot be read: file does not exist"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	_, err = Load(fstest.MapFS{"x.yml": {Data: []byte("page: x")}, "x.txt": {}})
	if want := "x.yml: spec: the file would not be read; name it x.yaml"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	_, err = Load(fstest.MapFS{"x.txt": {}})
	if want := ".: spec: cannot be read: it has no *.yaml; give a folder of YAML pages"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// A retired rule keeps its number and nothing else.
func TestLoadRetired(t *testing.T) {
	i := strings.Index(goodPage, "    subject: access\n")
	text := goodPage[:i] + "    retired: true\n    statement: REMOTE_WRITE needs LOCAL_WRITE\n"
	s := must(loadText("ibv_reg_mr.yaml", text))(t)
	if len(s.RulesOf("ibv_reg_mr")) != 0 || len(s.Rules()) != 0 || s.RuleByID("VR-ibv_reg_mr-access-0001") == nil {
		t.Error("a retired rule is found by its ID alone")
	}
}

func TestLoadAcrossPages(t *testing.T) {
	other := "page: b\ntitle: t\nrelease: \"65.0\"\n"
	dup := goodPage[strings.Index(goodPage, "rules:"):]
	tests := []struct{ name, b, pending, want string }{
		{"number used twice", strings.ReplaceAll(dup, "-access-0001", "-flags-0001"), "",
			"b.yaml:5:5: VR-ibv_reg_mr-flags-0001: number 0001 belongs to VR-ibv_reg_mr-access-0001 (a.yaml:20:5); take a number that was " +
				"never used"},
		{"bound and skipped", "skip: {ibv_reg_mr: no reason}\n", "",
			"b.yaml:4:8: ibv_reg_mr: this C name is skipped; it is also defined at a.yaml:10:3; keep one of them"},
		{"bound and pending", "", "functions: [ibv_reg_mr]\n",
			"pending.yaml:1:13: ibv_reg_mr: this C name is pending; it is also defined at a.yaml:10:3; keep one of them"},
		{"tag bound and skipped", "objects: {MR: {c: ibv_mr, parents: [], destroy: ibv_dereg_mr, doc: d}}\nskip: {struct ibv_mr: none}\n", "",
			"b.yaml:5:8: ibv_mr: this C name is skipped; it is also defined at b.yaml:4:11; keep one of them"},
		{"enum bound and pending", "", "enums: [enum ibv_access_flags]\n",
			"pending.yaml:1:9: ibv_access_flags: this C name is pending; it is also defined at a.yaml:5:3; keep one of them"},
		{"pending twice", "", "functions: [ibv_x]\nmacros: [ibv_x]\n",
			"pending.yaml:2:10: ibv_x: this C name is pending; it is also defined at pending.yaml:1:13; keep one of them"},
		{"category", "", "function: [ibv_wr_start]\n",
			"pending.yaml:1:1: pending: unknown key function; did you mean functions?"},
		{"Go name twice", "enums: {MRAccess: {enum: ibv_mtu, prefix: IBV_MTU_, doc: d}}\n", "",
			"b.yaml:4:9: MRAccess: this Go name is an enum type; it is also defined at a.yaml:5:3; keep one of them"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{
				"a.yaml": {Data: []byte(strings.Replace(goodPage, "page: ibv_reg_mr", "page: a", 1))},
				"b.yaml": {Data: []byte(other + tt.b)},
			}
			if tt.pending != "" {
				fsys["pending.yaml"] = &fstest.MapFile{Data: []byte(tt.pending)}
			}
			_, err := Load(fsys)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// A page of a --spec folder takes the place of the embedded one of that name; the other pages stay.
func TestOverlay(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(goodPage, "access-0001", "access-9001", 1)
	text = strings.Replace(text, "title: memory regions", "title: mine", 1)
	if err := os.WriteFile(filepath.Join(dir, "ibv_reg_mr.yaml"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	own := must(Embedded(""))(t)
	s, err := Embedded("", dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.PageByName("ibv_reg_mr").Title != "mine" || s.VerbByC("ibv_alloc_dm") == nil || len(s.Pages) != len(own.Pages) {
		t.Errorf("pages after overlay: %d, title %q", len(s.Pages), s.PageByName("ibv_reg_mr").Title)
	}
	if got, want := s.RuleByID("VR-ibv_reg_mr-access-9001").Pos.File, dir+"/ibv_reg_mr.yaml"; got != want {
		t.Errorf("file told as %s, want %s", got, want)
	}
	_, err = Embedded("", filepath.Join(dir, "none"))
	if want := dir + "/none: spec: cannot be read: no such file or directory; give a folder of YAML pages"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"IBV_ACCESS_REMOTE_WRITE", "IBV_ACCESS_REMOTE_READ", "length"}
	for name, want := range map[string]string{
		"IBV_ACCESS_REMOTE_WRTE": "IBV_ACCESS_REMOTE_WRITE", "lenght": "length", "zzz": "", "": "", "length": "",
	} {
		if got := Closest(name, names); got != want {
			t.Errorf("Closest(%q) = %q, want %q", name, got, want)
		}
	}
}
