package output

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// generated is what the emitter would hand over.
var generated = []File{
	gen("objects.gen.go", "package rdma\n\ntype DM struct{}\n\nfunc (d *DM) Close() error { return nil }\n"),
	gen("consts.gen.go", "package rdma\n\nconst (\n\tA = 1\n\tB = 2\n)\n\nvar c, d int\n\nfunc Load() {}\nfunc init() {}\n"),
	gen("verbs.gen.c", "static int DM;"),
}

func TestCheckTarget(t *testing.T) {
	const mod = "module example.com/x\n\ngo 1.26\n"
	const pkgFix = "; choose --pkg other, or another folder with -o"
	const clashFix = "; rename it, or leave its verb out of --only"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string // of the error, without the folder
	}{
		{"empty folder", nil, nil},
		{"hand-written neighbours", map[string]string{
			"go.mod": mod, "a.go": "package rdma\n\ntype Mine struct{}\n\nfunc (m Mine) Close() {}\nfunc init() {}\nvar _ = 1\n",
			"a_test.go": "package rdma\n\nfunc TestX() {}\n", "b_test.go": "package rdma_test\n\ntype DM int\n",
		}, nil},
		{"our own files of an earlier run", map[string]string{"objects.gen.go": string(generated[0].Data),
			"old.go": Banner + "\npackage old\n"}, nil},
		{"another package", map[string]string{"go.mod": mod, "a.go": "// hi\npackage other\n\ntype DM int\n"},
			[]string{"a.go:2:9: package other: the generated files in this folder would be of package rdma" + pkgFix}},
		{"another package's test", map[string]string{"go.mod": mod, "a_test.go": "package other_test\n"},
			[]string{"a_test.go:1:9: package other_test: the generated files in this folder would be of package rdma" + pkgFix}},
		{"a program", map[string]string{"go.mod": mod, "a.go": "package main\n"},
			[]string{"a.go:1:9: package main: the generated files in this folder would be of package rdma; choose another folder, such as -o rdma"}},
		{"names declared twice", map[string]string{
			"go.mod": mod, "a.go": "package rdma\n\ntype DM int\n\nvar x, d int\n\nfunc (*DM) Close() {}\n",
			"b.go": "package rdma\n\nfunc Load() {}\n",
		}, []string{
			"a.go:3:6: DM: is declared here and by the generated objects.gen.go:4:6" + clashFix,
			"a.go:5:8: d: is declared here and by the generated consts.gen.go:9:8" + clashFix,
			"a.go:7:12: DM.Close: is declared here and by the generated objects.gen.go:6:14" + clashFix,
			"b.go:3:6: Load: is declared here and by the generated consts.gen.go:11:6" + clashFix,
		}},
		{"no module", map[string]string{"a.go": "package rdma\n\ntype DM int\n"},
			[]string{"a.go:3:6: DM: is declared here and by the generated objects.gen.go:4:6" + clashFix}},
		{"kept out by constraints", map[string]string{
			"go.mod": mod, "a.go": "package rdma\n", "b.go": "//go:build windows\n\npackage rdma\n\ntype DM int\n",
			"c_darwin.go": "package rdma\n\ntype DM int\n", "d.go": "//go:build ignore\n\npackage main\n", "_e.go": "package other\n",
			".f.go": "package other\n",
		}, nil},
		{"a program in the folder, and no module", map[string]string{"a.go": "//go:build ignore\n\npackage main\n"}, nil},
		{"a program in the folder of a module", map[string]string{"go.mod": mod, "a.go": "//go:build ignore\n\npackage main\n"}, nil},
		{"a file that the go command ignores", map[string]string{"go.mod": mod, "a.go": "package documentation\n\ntype DM int\n"}, nil},
		{"on arm64 alone", map[string]string{"a_arm64.go": "package rdma\n\ntype DM int\n"},
			[]string{"a_arm64.go:3:6: DM: is declared here and by the generated objects.gen.go:4:6" + clashFix}},
		{"too broken to read", map[string]string{"go.mod": mod, "a.go": "what is this\n", "b.go": ""}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, c.files)
			err := CheckTarget(dir, generated, "rdma")
			var got []string
			for _, d := range diag.From(err) {
				if d.Code == diag.Internal {
					t.Errorf("code %q", d.Code)
				}
				got = append(got, strings.ReplaceAll(d.Error(), filepath.ToSlash(dir)+"/", ""))
			}
			if g, w := strings.Join(got, "\n"), strings.Join(c.want, "\n"); g != w {
				t.Errorf("got\n%s\nwant\n%s", g, w)
			}
		})
	}
}

func TestCheckTargetRefusesBrokenEmitter(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, map[string]string{"a.go": "package rdma\n"})
	err := CheckTarget(dir, []File{gen("x.gen.go", "package")}, "rdma")
	if err == nil || !strings.Contains(err.Error(), "x.gen.go:2:9") {
		t.Errorf("error %v, want one that names the place in x.gen.go", err)
	}
}
