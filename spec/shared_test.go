package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec/role"
)

// sharedPage has a rule about two parameters.
const sharedPage = `page: ibv_reg_mr
title: memory regions
release: "65.0"
rules:
  - kind: range
    for:
      ibv_reg_mr length: VR-ibv_reg_mr-length-0001
      ibv_reg_mr_ex mr_init_attr.length: {id: VR-ibv_reg_mr_ex-length-0002, when: [{of: ../fd, gt: 0}], with: {mr_init_attr: {fd: 5}}}
    when: [{of: ../access, has: [IBV_ACCESS_LOCAL_WRITE]}]
    min: 1
    statement: $ is not 0
    fix: pass $
    source: {project: a, release: b, file: c}
    needs: args
    accept: {$: 1, ../access: IBV_ACCESS_LOCAL_WRITE}
    reject: {$: 0, ../access: IBV_ACCESS_LOCAL_WRITE}
`

// TestSharedRuleIsWrittenOut compares the rule of an entry with one that is written in full.
func TestSharedRuleIsWrittenOut(t *testing.T) {
	s := must(loadText("ibv_reg_mr.yaml", sharedPage))(t)
	r := s.RuleByID("VR-ibv_reg_mr_ex-length-0002")
	if r == nil {
		t.Fatal("no rule of the second entry")
	}
	got := fmt.Sprint(r.Verb, r.Subject, r.Statement, r.Fix, r.When[0].Of, r.When[1].Of, r.Accept.Args, r.Reject.Args, r.Pos,
		r.At("min", "1"))
	const want = "ibv_reg_mr_ex mr_init_attr.length length is not 0 pass length mr_init_attr.fd mr_init_attr.access " +
		"map[mr_init_attr:map[access:IBV_ACCESS_LOCAL_WRITE fd:5 length:1]] map[mr_init_attr:map[access:IBV_ACCESS_LOCAL_WRITE fd:5 length:0]] " +
		"ibv_reg_mr.yaml:8:7 ibv_reg_mr.yaml:10:10"
	if words := strings.Fields(got); strings.Join(words, "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// TestRelativePaths resolves the signs of shared rules.
func TestRelativePaths(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"access", "$", "access"},
		{"access", "../length", "length"},
		{"attr.access", "../length", "attr.length"},
		{"attr.ah_attr.port_num", "../../port_num", "attr.port_num"},
		{"dm", "$.freed", "dm.freed"},
		{"wr[].sg_list", "../num_sge", "wr[].num_sge"},
		{"attr.port_num", "port_attr[$].flags", "port_attr[attr.port_num].flags"},
		{"attr.is_global", "port_attr[../port_num].flags", "port_attr[attr.port_num].flags"},
		{"access", "length", "length"},
		{"access", "../../length", "../../length"}, // above the parameters: it leads nowhere, and is told as such
		{"access", "$x", "$x"},
		{"access", "", ""},
	} {
		if got := resolve(tt.path, tt.text); got != tt.want {
			t.Errorf("%s of %s: %s, want %s", tt.text, tt.path, got, tt.want)
		}
	}
}

// sharedFile has a rule that pages take.
const sharedFile = `shared: memory
title: memory
release: "65.0"
rules:
  - name: length
    every: {type: MRAccess}
    kind: range
    min: 1
    statement: $ is not 0
    fix: pass $
    source: reads
    accept: {$: 1}
    reject: {$: 0}
sources:
  reads: {file: libibverbs/verbs.c}
`

// takenRules are entries of goodPage that take the rule.
const takenRules = `  - id: VR-ibv_reg_mr-access-0003
    shared: memory.length
    section: DESCRIPTION
    passage: "0123456789abcdef"
  - {id: VR-ibv_reg_mr_ex-length-0004, shared: memory.length, subject: mr_init_attr.length, with: {mr_init_attr: {fd: 5}}}
`

// TestTakenRule compares the rules of entries that take a shared one with rules that are written in full.
func TestTakenRule(t *testing.T) {
	files := fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(goodPage + takenRules)}, "shared/memory.yaml": {Data: []byte(sharedFile)}}
	s := must(Load(files))(t)
	var got []string
	for _, id := range []string{"VR-ibv_reg_mr-access-0003", "VR-ibv_reg_mr_ex-length-0004"} {
		r := s.RuleByID(id)
		got = append(got, fmt.Sprint(r.Page, " ", r.Verb, " ", r.Subject, " ", r.Statement, " ", r.Passage, " ", r.Source, " ",
			r.Accept.Args, " ", r.Pos))
	}
	const want = "ibv_reg_mr ibv_reg_mr access access is not 0 0123456789abcdef  map[access:1] ibv_reg_mr.yaml:33:5\n" +
		"ibv_reg_mr ibv_reg_mr_ex mr_init_attr.length length is not 0  rdma-core v65.0 libibverbs/verbs.c: reads " +
		"map[mr_init_attr:map[fd:5 length:1]] ibv_reg_mr.yaml:37:5"
	if strings.Join(got, "\n") != want {
		t.Errorf("\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestOtherManPage: a rule is in the file of its verb, and on the page whose passage it cites.
func TestOtherManPage(t *testing.T) {
	files := fstest.MapFS{
		"ibv_reg_mr.yaml":      {Data: []byte(strings.Replace(goodPage, "    section:", "    man: ibv_open_device\n    section:", 1))},
		"ibv_open_device.yaml": {Data: []byte("page: ibv_open_device\ntitle: devices\nrelease: \"65.0\"\n")},
	}
	s := must(Load(files))(t)
	p := s.PageByName("ibv_open_device")
	if len(p.Rules) != 1 || p.Rules[0].Page != "ibv_open_device" || p.Rules[0].Pos.File != "ibv_reg_mr.yaml" {
		t.Errorf("the rules of the page are %v", p.Rules)
	}
	delete(files, "ibv_open_device.yaml")
	const want = "ibv_reg_mr.yaml:28:10: VR-ibv_reg_mr-access-0001: man: there is no page ibv_open_device; name the man page of the passage"
	if _, err := Load(files); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestWrongTaken: mistakes in a shared rule and in the entries that take it are placed where they are.
func TestWrongTaken(t *testing.T) {
	const entry = "  - {id: VR-ibv_reg_mr-access-0003, shared: memory.length, source: {project: a, release: b, file: c}"
	for _, tt := range []struct{ page, old, new, want string }{
		{"", "", "", "ibv_reg_mr.yaml:16:7: ibv_reg_mr access: the shared rule memory.length is about every MRAccess, and this is one; take it " +
			"on this page, with an ID and shared: memory.length, or write {shared: memory.length, except: ibv_reg_mr access, reason: ...}"},
		{entry + "}\n", "min: 1", "min: [1]",
			"shared/memory.yaml:8:10: VR-ibv_reg_mr-access-0003: min: a list where a text or an integer belongs; write one value"},
		{entry + ", fix: {x: y}}\n", "", "",
			"ibv_reg_mr.yaml:33:108: VR-ibv_reg_mr-access-0003: fix: a mapping where a text belongs; write one value"},
		{strings.Replace(entry, "length", "lenght", 1) + "}\n", "every: {type: MRAccess}", "",
			"ibv_reg_mr.yaml:33:45: memory.lenght: there is no shared rule of this name; did you mean memory.length?"},
		{entry + ", kind: range}\n", "every: {type: MRAccess}", "",
			"ibv_reg_mr.yaml:33:103: VR-ibv_reg_mr-access-0003: kind: the shared rule has it; take it out, or write a rule of its own"},
		{"  - {shared: memory.length}\n", "every: {type: MRAccess}", "", "ibv_reg_mr.yaml:33:5: memory.length: key id is missing; add it"},
		{"  - {shared: memory.length, except: ibv_reg_mr access, reason: r}\n", "every: {type: MRAccess}", "",
			"ibv_reg_mr.yaml:33:37: memory.length: except: takes nothing out of a rule without every:; leave it out"},
		{entry + "}\n  - {shared: memory.length, except: ibv_reg_mr access, reason: r}\n", "", "",
			"ibv_reg_mr.yaml:34:37: memory.length: ibv_reg_mr access is taken and excepted; keep one of them"},
		{entry + "}\n  - {shared: memory.length, except: ibv_reg_mr pd, reason: r}\n", "", "",
			"ibv_reg_mr.yaml:34:37: memory.length: except: ibv_reg_mr pd does not belong here: " +
				"the rule is about every MRAccess; take it out, or correct it"},
		{entry + "}\n", "MRAccess", "MRAcess",
			"shared/memory.yaml:6:19: memory.length: every: no parameter and no field of a record passed in has " +
				"type: MRAcess; did you mean MRAccess?\nibv_reg_mr.yaml:33:5: VR-ibv_reg_mr-access-0003: ibv_reg_mr access does not belong here: " +
				"memory.length is about every MRAcess; take the entry out, or correct it"},
		{"", "  - name: length\n    every: {type: MRAccess}\n", "  - id: x\n", "shared/memory.yaml:5:5: memory.: key name is missing; add it\n" +
			"shared/memory.yaml:5:5: memory.: id: not in a rule that pages take; leave it out: each page that takes the rule gives it"},
		{entry + "}\n", "shared: memory", "shared: mem", "shared/memory.yaml:1:1: mem: the file is called memory.yaml; name the file mem.yaml"},
	} {
		files := fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(goodPage + tt.page)},
			"shared/memory.yaml": {Data: []byte(strings.Replace(sharedFile, tt.old, tt.new, 1))}}
		_, err := Load(files)
		if err == nil || !sameLines(err.Error(), tt.want) {
			t.Errorf("%s, %s: %v\nwant\n%s", tt.page, tt.new, err, tt.want)
		}
	}
}

// sameLines reports whether two texts have the same lines, in any order.
func sameLines(a, b string) bool {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// TestSharedRuleTooLarge: what the entries of a rule make together has a limit.
func TestSharedRuleTooLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString(sharedPage[:strings.Index(sharedPage, "      ibv_reg_mr length")])
	for i := range 2000 {
		fmt.Fprintf(&b, "      ibv_reg_mr p%d: VR-ibv_reg_mr-length-%04d\n", i, i)
	}
	b.WriteString("    note: x\n    accept: {list: [" + strings.Repeat("0, ", 1000) + "0]}\n")
	_, err := loadText("ibv_reg_mr.yaml", b.String())
	if err == nil || !strings.Contains(err.Error(),
		"ibv_reg_mr.yaml:5:5: VR-ibv_reg_mr-length-0000: the shared rules are too large to be written out for each of their entries; "+
			"take some of them out") {
		t.Errorf("%.300v", err)
	}
}

// TestPointersSayWhetherNull: each parameter of the own pages that takes a pointer is either allowed to be NULL or has its rule.
func TestPointersSayWhetherNull(t *testing.T) {
	s := must(Embedded(""))(t)
	checked := 0
	for v := range s.Verbs() {
		for _, param := range v.Params {
			if param.Role.Passes != role.PassesObject && param.Role.Passes != role.PassesMemory {
				continue
			}
			checked++
			has := false
			for _, r := range s.RulesOf(v.C) {
				has = has || r.Kind == KindNotNull && r.Subject == param.C
			}
			if !has && !param.Null {
				t.Errorf("%s: %s.%s has neither null: true nor a rule of kind not_null", param.Pos, v.C, param.C)
			}
		}
	}
	if checked < 60 {
		t.Errorf("%d parameters looked at", checked)
	}
}

// TestStatementsStandOnce: no two rules of the own pages are one that is written twice. Rules at one place of a file are one.
func TestStatementsStandOnce(t *testing.T) {
	s := must(Embedded(""))(t)
	apart := map[string]string{
		"comp_mask takes the known bits":      "the bits differ",
		"offset plus length stays below 2^64": "of device memory, and of a dma-buf",
	}
	at := map[string]Pos{}
	for _, r := range s.Rules() {
		pos := r.At("statement", r.Statement)
		if first, twice := at[r.Statement]; twice && first != pos && r.Kind != KindNotNull && apart[r.Statement] == "" {
			t.Errorf("%s: %s: %q stands at %s too; write the rule once: in a file of the folder shared, or with for:", pos, r.ID, r.Statement, first)
		}
		at[r.Statement] = pos
	}
}
