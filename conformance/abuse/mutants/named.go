package main

import (
	"fmt"
	"strings"
)

// known are changes that once survived, or that only a certain test can notice. The text stands exactly once in the file.
var known = []struct{ area, name, file, old, new string }{
	{"suite", "T.OK never fails", "conformance/suite/t.go",
		"\tt.Saw(what, err)\n\tif err != nil {", "\tt.Saw(what, err)\n\tif false {"},
	{"templates", "a context cut exactly at an op", "templates/shims.c.tmpl", "(v)->sz >= sizeof", "(v)->sz > sizeof"},
	{"templates", "no fallback of query_device_ex after ENOSYS", "templates/special.c.tmpl", "if (rc != EOPNOTSUPP && rc != ENOSYS)",
		"if (rc != EOPNOTSUPP)"},
	{"templates", "optional access bits for the old ibv_reg_mr", "templates/special.c.tmpl",
		"fn1_)(pd, (void *)addr_, length_, access_ & ~(int)IBV_ACCESS_OPTIONAL_RANGE)", "fn1_)(pd, (void *)addr_, length_, access_)"},
	{"templates", "optional access bits for the old ibv_reg_mr_iova", "templates/special.c.tmpl",
		"length_, iova_, access_ & ~(int)IBV_ACCESS_OPTIONAL_RANGE)", "length_, iova_, access_)"},
	{"softverbs", "a FETCH_ADD that is not atomic", "runtime/softverbs/piece.c",
		"*old = __atomic_fetch_add(p, a, __ATOMIC_SEQ_CST);", "*old = *(volatile uint64_t *)p;\n\t\t*(volatile uint64_t *)p = *old + a;"},
	{"pages", "a lint of ibv_modify_qp made an error", "spec/verbs/ibv_modify_qp.yaml",
		"    severity: lint\n    when: [{of: qp.qp_type, eq: IBV_QPT_RC}]\n    state: qp.state",
		"    when: [{of: qp.qp_type, eq: IBV_QPT_RC}]\n    state: qp.state"},
	{"pages", "a wrong capability of max_send_sge", "spec/verbs/shared/qp.yaml",
		"    cap: device_attr.max_sge\n    statement: max_send_sge", "    cap: device_attr.max_qp_wr\n    statement: max_send_sge"},
}

// namedOf finds the listed mutants of an area.
func namedOf(area string, t *tree) ([]mutant, error) {
	var out []mutant
	for _, k := range known {
		if k.area != area {
			continue
		}
		text, err := t.read(k.file)
		if err != nil {
			return nil, err
		}
		if n := strings.Count(text, k.old); n != 1 {
			return nil, fmt.Errorf("%s: %s has its text %d times, not once", k.name, k.file, n)
		}
		m := newMutant(k.file, text, strings.Index(text, k.old), k.old, k.new, "listed")
		m.name = k.name
		out = append(out, m)
	}
	return out, nil
}
