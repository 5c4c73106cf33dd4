package spec

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec/api"
)

// TestValuesOfEmbedded puts values into the project's own pages that cannot stand there, behind «: all at once, but for two in one place.
func TestValuesOfEmbedded(t *testing.T) {
	type mistake struct{ page, old, new, want string }
	list := []mistake{
		{"ibv_modify_qp", "from: [IBV_QPS_RTR]", "from: [«IBV_QPT_RC]",
			"from: IBV_QPT_RC is of enum ibv_qp_type, and qp.state of enum ibv_qp_state; write a member of enum ibv_qp_state"},
		{"ibv_modify_qp", "to: [IBV_QPS_RTS]", "to: [«IBV_QPT_RC]",
			"to: IBV_QPT_RC is of enum ibv_qp_type, and attr.qp_state of enum ibv_qp_state; write a member of enum ibv_qp_state"},
		{"ibv_modify_qp", "need: [IBV_QP_STATE, IBV_QP_PKEY_INDEX", "need: [«IBV_QPS_INIT, IBV_QP_PKEY_INDEX",
			"need: IBV_QPS_INIT is of enum ibv_qp_state, and attr_mask of enum ibv_qp_attr_mask; write a member of enum ibv_qp_attr_mask"},
		{"shared/access", "if: [IBV_ACCESS_REMOTE_WRITE", "if: [«IBV_QPT_RC, IBV_ACCESS_REMOTE_WRITE",
			"if: IBV_QPT_RC is of enum ibv_qp_type, and access of enum ibv_access_flags; write a member of enum ibv_access_flags"},
		{"ibv_alloc_dm", "release: \"65.0\"", "release: «\"99.9\"",
			"release 99.9 is newer than " + api.Newest() + ", the newest release that is known; name the release whose page it follows"},
		{"ibv_alloc_dm.go", "prefix: IBV_ACCESS_\n", "prefix: «IBV_QP_\n",
			"prefix: IBV_QP_ is not the beginning of IBV_ACCESS_LOCAL_WRITE; correct it, or give the member a name under names:"},
		{"ibv_alloc_dm.go", "prefix: IBV_ACCESS_\n", "prefix: «IBV_ACCESS_LOCAL_WRITE\n",
			"prefix: IBV_ACCESS_LOCAL_WRITE leaves nothing of IBV_ACCESS_LOCAL_WRITE; correct it, or give the member a name under names:"},
		{"ibv_reg_mr.go", "length: SIZE_MAX}", "length: «-1}",
			"fixed.length: -1 is out of the range of length, which is of type size_t: 0 to 18446744073709551615; write a number that it " +
				"can have"},
		{"ibv_alloc_dm", "RULE", "kind: range, subject: attr.log_align_req, max: «-5",
			"max: -5 is out of the range of attr.log_align_req, which is of type uint32_t: 0 to 4294967295; write a number that it can " +
				"have"},
		{"ibv_alloc_dm", "RULE", "kind: range, subject: attr.log_align_req, max: «SIZE_MAX",
			"max: SIZE_MAX is out of the range of attr.log_align_req"},
		{"ibv_alloc_dm", "RULE", "kind: range, subject: attr.log_align_req, min: «7, max: 5",
			"min: 7 is more than max: 5; swap them, or correct one"},
		{"ibv_alloc_dm", "RULE", "kind: aligned, subject: attr.length, to: «0", "to: nothing is a multiple of 0; write a number above 0"},
		{"ibv_alloc_dm", "RULE", "kind: allowed_set, subject: attr.log_align_req, values: [1, «0x100000000]",
			"values: 0x100000000 is out of the range of attr.log_align_req"},
		{"ibv_alloc_dm", "RULE", "kind: not_null, subject: attr, when: [{of: attr.log_align_req, lt: «-1}]",
			"lt: -1 is out of the range of attr.log_align_req"},
		{"ibv_alloc_dm", "RULE", "kind: depends_on, must: [{of: attr.log_align_req, in: [1, «-1]}]",
			"in: -1 is out of the range of attr.log_align_req"},
	}
	for len(list) > 0 {
		now, later, taken := []mistake{}, []mistake{}, map[string]bool{}
		for _, c := range list {
			if taken[c.page+c.old] {
				later = append(later, c)
				continue
			}
			now, taken[c.page+c.old] = append(now, c), c.old != "RULE"
		}
		list = later
		all := fstest.MapFS{}
		for _, glob := range []string{"verbs/*.yaml", "verbs/shared/*.yaml", sourcesFile} {
			files := must(fs.Glob(pages, glob))(t)
			for _, name := range files {
				data := must(fs.ReadFile(pages, name))(t)
				all[strings.TrimPrefix(name, "verbs/")] = &fstest.MapFile{Data: data}
			}
		}
		mark := func(i int) string { return string(rune(0xe000 + i)) }
		for i, c := range now {
			if c.old == "RULE" {
				c.old = "\nrules:\n"
				c.new = fmt.Sprintf("%s  - {id: VR-ibv_alloc_dm-attr-%d, verb: ibv_alloc_dm, statement: s, fix: f, "+
					"source: {project: a, release: b, file: c}, needs: args, accept: {}, reject: {}, %s}\n", c.old, 9001+i, c.new)
			}
			file := all[c.page+".yaml"]
			file.Data = []byte(strings.Replace(string(file.Data), c.old, strings.Replace(c.new, "«", mark(i), 1), 1))
		}
		var places []string
		for i, c := range now {
			text := string(all[c.page+".yaml"].Data)
			at := strings.Index(text, mark(i))
			if at < 0 {
				t.Fatalf("%s has no %s", c.page, c.old)
			}
			line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
			places = append(places, fmt.Sprintf("%s.yaml:%d:%d: ", c.page, 1+strings.Count(text[:at], "\n"), 1+len(line)))
		}
		for i, c := range now {
			file := all[c.page+".yaml"]
			file.Data = []byte(strings.Replace(string(file.Data), mark(i), "", 1))
		}
		s, err := Load(all)
		if err != nil {
			t.Fatal(err)
		}
		err = s.CheckNames(known(t)...)
		for i, c := range now {
			if !slices.ContainsFunc(strings.Split(fmt.Sprint(err), "\n"), func(line string) bool {
				return strings.HasPrefix(line, places[i]) && strings.Contains(line, c.want)
			}) {
				t.Errorf("%s: got\n%v\nwant\n%s...%s", c.new, err, places[i], c.want)
			}
		}
	}
}
