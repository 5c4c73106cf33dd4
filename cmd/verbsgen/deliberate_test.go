package main

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// TestDeliberateChanges changes the installed header in every way, as many at once as leave each other alone. Each change is refused, at
// its place and by name, and a good package stays as it is.
func TestDeliberateChanges(t *testing.T) {
	b := newMutationBench(t)
	f := b.newFolder(t)
	type change struct {
		kind     string
		old      string // a regular expression, found once
		new      string
		code     diag.Code
		subject  string
		anyPlace bool // what is missing has none
	}
	for _, changes := range [][]change{{
		{"value of an enumerator", `(IBV_QP_RQ_PSN)\s*= 1 << 12`, "$1 = 0x7f", diag.HeaderContradicts, "IBV_QP_RQ_PSN", false},
		{"negative value", `(IBV_QP_TIMEOUT)\s*=[^,]*`, "$1 = -1", diag.HeaderContradicts, "IBV_QP_TIMEOUT", false},
		{"value of a macro", `(#define IBV_DEVICE_RAW_SCATTER_FCS).*`, "$1 (1ULL << 33)", diag.HeaderContradicts,
			"IBV_DEVICE_RAW_SCATTER_FCS", false},
		{"order of fields", `(\tuint32_t\s+lkey;\n)(\tuint32_t\s+rkey;\n)(\};)`, "$2$1$3", diag.HeaderContradicts, "struct ibv_mr.lkey", false},
		{"type of a field", `(struct ibv_sge \{\n\t)uint64_t`, "${1}uint32_t", diag.HeaderContradicts, "struct ibv_sge.addr", false},
		{"type of a field, of one size", `(\tint)(\s+oflags;)`, "\tuint32_t$2", diag.HeaderContradicts,
			"struct ibv_xrcd_init_attr.oflags", false},
		{"length of an array", `(struct ibv_device_attr \{\n\tchar\s+fw_ver)\[64\]`, "$1[32]", diag.HeaderContradicts,
			"struct ibv_device_attr.fw_ver", false},
		{"type of a parameter", `(int ibv_dealloc_pd\(struct )ibv_pd`, "${1}ibv_mr", diag.HeaderContradicts, "ibv_dealloc_pd", false},
		{"type of a result", `int (ibv_destroy_cq\()`, "void $1", diag.HeaderContradicts, "ibv_destroy_cq", false},
	}, {
		{"size of a record", `(struct ibv_sge \{[^}]*)\}`, "$1\tuint64_t more;\n}", diag.HeaderContradicts, "struct ibv_sge", false},
		{"parameter more", `(int ibv_dealloc_pd\(struct ibv_pd \*pd)`, "$1, int more", diag.HeaderContradicts, "ibv_dealloc_pd", false},
	}, {
		{"empty record", `(struct ibv_sge \{)[^}]*`, "$1\n", diag.HeaderLacks, "struct ibv_sge.addr", true},
		{"enumerator removed", `\tIBV_QP_TIMEOUT\s*=.*\n`, "", diag.HeaderLacks, "IBV_QP_TIMEOUT", true},
		{"field removed", `\tuint32_t\s+lkey;\n(\tuint32_t\s+rkey;\n\};)`, "$1", diag.HeaderLacks, "struct ibv_mr.lkey", true},
		{"function removed", `int ibv_dealloc_pd\(.*\n`, "", diag.HeaderLacks, "ibv_dealloc_pd", true},
		{"macro removed", `#define IBV_DEVICE_RAW_SCATTER_FCS.*\n`, "", diag.HeaderLacks, "IBV_DEVICE_RAW_SCATTER_FCS", true},
	}, {
		{"flexible array", `(struct ibv_qp_cap \{[^}]*)(\};)`, "$1\tuint8_t rest[];\n$2", diag.FieldUndecided, "QPCap", false},
	}, {
		{"struct that becomes a union", `struct (ibv_global_route \{)`, "union $1", diag.HeaderSyntax, "ibv_global_route", false},
	}, {
		{"name of a record", `(struct ibv_pd \{)`, "#define ibv_pd ibv_mr\n$1", diag.HeaderSyntax, "struct", false},
	}, {
		{"record removed", `struct ibv_sge \{[^}]*\};`, "", diag.HeaderLacks, "struct ibv_sge.addr", true},
	}} {
		text := b.headers[headerFiles[0]]
		for _, c := range changes {
			re := regexp.MustCompile(c.old)
			if n := len(re.FindAllStringIndex(text, -1)); n != 1 {
				t.Fatalf("%s: %s is found %d times in this header", c.kind, c.old, n)
			}
			text = re.ReplaceAllString(text, c.new)
		}
		f.writeHeaders(t, headerFiles[0], text)
		var out bytes.Buffer
		code, list := runList(context.Background(), f.args(), &out, &out)
		if code != exitError {
			f.restore(t)
			t.Errorf("%s: exit code %d\n%s", changes[0].kind, code, &out)
		}
		for _, c := range changes {
			if !slices.ContainsFunc(list, func(d diag.Diag) bool {
				return d.Code == c.code && d.Subject == c.subject && (c.anyPlace || d.Line > 0)
			}) {
				t.Errorf("%s: no %s of %s at a line among\n%s", c.kind, c.code, c.subject, clip(list.Error(), 1500))
			}
		}
		if !maps.Equal(readFolder(t, f.out()), b.good) {
			t.Errorf("%s: the package changed", changes[0].kind)
		}
	}
}

// TestPlaceOfKey changes the installed header so that it contradicts one key of a page: the error names the line of this key, also when
// other pages are laid over the project's own.
func TestPlaceOfKey(t *testing.T) {
	b := newMutationBench(t)
	f := b.newFolder(t)
	f.writeHeaders(t, headerFiles[0], strings.Replace(b.headers[headerFiles[0]], "int ibv_destroy_cq(", "void ibv_destroy_cq(", 1))
	over := t.TempDir()
	writeFile(t, filepath.Join(over, "more.yaml"), []byte("extends: ibv_create_cq\nnotes:\n"+
		"  - {verb: ibv_create_cq, statement: our device has none, section: NOTES, passage: 0123456789abcdef}\n"))
	for _, more := range [][]string{nil, {"--spec", over}} {
		var out bytes.Buffer
		_, list := runList(context.Background(), append(f.args(more...), "--allow-changed-abi"), &out, &out)
		i := slices.IndexFunc(list, func(d diag.Diag) bool { return d.Subject == "ibv_destroy_cq" })
		if i < 0 {
			t.Errorf("%q: no error of ibv_destroy_cq:\n%s", more, clip(list.Error(), 1500))
			continue
		}
		page, err := os.ReadFile("../../" + list[i].File)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Split(string(page), "\n")[list[i].Line-1]
		if !strings.HasPrefix(line[list[i].Col-1:], "errno") || !strings.Contains(line, "returns: errno") {
			t.Errorf("%q: %v: the line is %q", more, list[i], line)
		}
	}
}

// TestCutHeaders cuts the installed header where no declaration is broken: a header with few declarations is no more
// whole than one that ends in the middle of one.
func TestCutHeaders(t *testing.T) {
	b := newMutationBench(t)
	f := b.newFolder(t)
	lines := strings.SplitAfter(b.headers[headerFiles[0]], "\n")
	cuts := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "};") || i%14 != 0 {
			continue
		}
		text := strings.Join(lines[:i+1], "") + "#endif\n"
		f.writeHeaders(t, headerFiles[0], text)
		cuts++
		o, problem := f.generate(t, mutationWay{})
		if o != refused {
			t.Errorf("cut behind line %d: %v %s", i+1, o, problem)
		}
	}
	if cuts < 3 {
		t.Errorf("only %d cuts", cuts)
	}
}
