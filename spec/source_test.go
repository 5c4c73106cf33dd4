package spec

import (
	"strings"
	"testing"
	"testing/fstest"
)

// withoutFunc is how many sources do not name the function that decides. It may only fall.
const withoutFunc = 4

// TestSourcesNameFunctions counts the sources that name no function, and lists them with -v. A man page and a measurement have none.
func TestSourcesNameFunctions(t *testing.T) {
	without, of := 0, 0
	seen := map[Pos]bool{} // a shared rule has one for all its entries
	for _, c := range everyCitation(t) {
		if c.Run != "" || c.IsManPage() || seen[c.Pos] {
			continue
		}
		seen[c.Pos] = true
		of++
		if c.Func == "" {
			without++
			t.Logf("%s: %s: %s", c.Pos, c.what, c.String())
		}
	}
	if without > withoutFunc {
		t.Errorf("%d of %d sources name no function, %d did; name it under func:", without, of, withoutFunc)
	}
}

// cited is a source of a rule, of a party of it, or of a note.
type cited struct {
	Source
	what string
}

// everyCitation lists the sources of all modules.
func everyCitation(t *testing.T) []cited {
	t.Helper()
	var out []cited
	for _, module := range Modules() {
		s := must(Embedded(module))(t)
		for _, c := range s.Citations() {
			out = append(out, cited{*c.Source, c.Of})
		}
	}
	return out
}

func TestSourceText(t *testing.T) {
	for want, s := range map[string]Source{
		"linux v6.1.192, v6.12.117 drivers/infiniband/core/verbs.c: ib_create_qp_user": {Project: "linux",
			Release: []string{"v6.1.192", "v6.12.117"}, File: "drivers/infiniband/core/verbs.c", Func: "ib_create_qp_user"},
		"linux commit 00a79d6b996d drivers/infiniband/core/uverbs_cmd.c": {Project: "linux", Commit: "00a79d6b996d",
			File: "drivers/infiniband/core/uverbs_cmd.c"},
		"measured on soft-RoCE of linux 6.1, 7.2": {Run: RunRXE, Kernels: []string{"6.1", "7.2"}},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestSourceTable cites sources by key: what a source leaves out follows from its key, its folder and the release of the page.
func TestSourceTable(t *testing.T) {
	page := lintPage("    accepted_by: [{provider: siw, source: [siw_reg, y.3, general]}]\n") +
		"sources:\n  siw_reg: {file: providers/siw/siw.c}\n  y.3: {file: libibverbs/man/y.3}\n"
	general := &fstest.MapFile{Data: []byte("general: {project: linux, release: v6.1, file: a/b.c, func: f}\n")}
	s := must(Load(fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(page)}, sourcesFile: general}))(t)
	const want = "rdma-core v65.0 providers/siw/siw.c: siw_reg; rdma-core v65.0 libibverbs/man/y.3; linux v6.1 a/b.c: f"
	if got := s.RuleByID("VR-ibv_reg_mr-access-0001").AcceptedBy[0].Source.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for more, want := range map[string]string{
		"  siw_rg: {file: providers/siw/siw.c}\n":  "siw_rg: nothing in the file cites this source; remove it, or correct its key",
		"  general: {file: providers/siw/siw.c}\n": "general: this source is already at sources.yaml:1:1; leave it out, or take another key",
		"  a b: {file: providers/siw/siw.c}\n":     "this is no key of a source",
		"  x: [siw_reg]\n":                         "x: a list where a mapping belongs",
	} {
		_, err := Load(fstest.MapFS{"ibv_reg_mr.yaml": {Data: []byte(page + more)}, sourcesFile: general})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", more, err, want)
		}
	}
}

// TestBadSources decodes sources with a mistake each.
func TestBadSources(t *testing.T) {
	for source, want := range map[string]string{
		"linux v6.1 drivers/x/y.c":                                   "there is no source \"linux v6.1 drivers/x/y.c\"",
		"{project: linux, file: drivers/x/y.c}":                      "either release or commit",
		"{release: v6.1, file: drivers/x/y.c}":                       "key project is missing",
		"{project: linux, release: 6.1, file: drivers/x/y.c}":        "a floating-point number where a text belongs",
		"{project: linux, release: v6.1, file: /y.c}":                "/y.c has not the form",
		"{project: linux, release: v6.1, file: a/y.c, func: f()}":    "f() has not the form",
		"{project: rdma-core, release: v65.0, file: a/y.3, func: f}": "a man page has no functions",
		"{run: rxe}":               "key kernels is missing",
		"{run: rxe, kernels: new}": "new has not the form",
		"[]":                       "an empty list",
		"[{project: linux, release: v6.1, file: a/y.c}, {project: linux, release: v6.1, file: a/y.c}]": "twice in the list",
	} {
		_, err := loadText("ibv_reg_mr.yaml", lintPage("    accepted_by: [{provider: siw, source: "+source+"}]\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", source, err, want)
		}
	}
}
