package spec

import (
	"fmt"
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
	s, err := loadText("ibv_reg_mr.yaml", sharedPage)
	if err != nil {
		t.Fatal(err)
	}
	r := s.RuleByID("VR-ibv_reg_mr_ex-length-0002")
	if r == nil {
		t.Fatal("no rule of the second entry")
	}
	got := fmt.Sprint(r.Verb, r.Subject, r.Statement, r.Fix, r.When[0].Of, r.When[1].Of, r.Accept.Args, r.Reject.Args, r.Pos,
		r.marks.at("min", "1", Pos{}))
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

// TestSharedRuleOfAnotherFile: a mistake that shows in an entry of another file is placed in the file that has it.
func TestSharedRuleOfAnotherFile(t *testing.T) {
	files := fstest.MapFS{
		"ibv_reg_mr.yaml": {Data: []byte(strings.Replace(sharedPage, "    min: 1\n", "    min: [1]\n", 1))},
		"more.yaml": {Data: []byte("extends: ibv_reg_mr\nrules:\n  - extends: VR-ibv_reg_mr-length-0001\n    for:\n" +
			"      ibv_reg_mr_iova length: {id: VR-ibv_reg_mr_iova-length-0003, fix: {x: y}}\n")},
	}
	_, err := Load(files)
	const want = "ibv_reg_mr.yaml:10:10: VR-ibv_reg_mr-length-0001: min: a list where a text or an integer belongs; write one value\n" +
		"more.yaml:5:73: VR-ibv_reg_mr_iova-length-0003: fix: a mapping where a text belongs; write one value"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
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
		"ibv_reg_mr.yaml:5:5: VR-ibv_reg_mr-length-0000: the rules with for: are too large to be written out for each of their entries; "+
			"take some of them out") {
		t.Errorf("%.300v", err)
	}
}

// TestPointersSayWhetherNull: each parameter of the own pages that takes a pointer is either allowed to be NULL or has its rule.
func TestPointersSayWhetherNull(t *testing.T) {
	s, err := Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range s.Pages {
		for _, v := range p.Verbs {
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
					t.Errorf("%s: %s.%s has neither null: true nor not_null:", param.Pos, v.C, param.C)
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("%d parameters looked at", checked)
	}
}

// TestStatementsStandOnce: no two rules of the own pages are one that is written twice. Rules at one place of a file are one.
func TestStatementsStandOnce(t *testing.T) {
	s, err := Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	apart := map[string]string{
		"comp_mask takes the known bits":      "the bits differ",
		"offset plus length stays below 2^64": "of device memory, and of a dma-buf",
	}
	at := map[string]Pos{}
	for _, r := range s.Rules() {
		pos := r.marks.at("statement", r.Statement, r.Pos)
		if first, twice := at[r.Statement]; twice && first != pos && r.Kind != KindNotNull && apart[r.Statement] == "" {
			t.Errorf("%s: %s: %q stands at %s too; write the rule once, with for:", pos, r.ID, r.Statement, first)
		}
		at[r.Statement] = pos
	}
}
