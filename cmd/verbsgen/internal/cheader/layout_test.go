package cheader

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/api"
)

// compilersOf lists the compilers at hand for an architecture. The others are named.
func compilersOf(t *testing.T, arch string) (list []compiler) {
	target := machineOf[arch] + "-linux-gnu"
	for _, command := range [][]string{{target + "-gcc"}, {"clang", "--target=" + target}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("layouts not compared with %s: not installed", strings.Join(command, " "))
			continue
		}
		list = append(list, compiler{command, arch})
	}
	return list
}

// read reads a header of one file, and returns its facts without the records that are refused.
func read(t *testing.T, text string) (f *facts, laidOut *api.Release, refused []string) {
	t.Helper()
	header := write(t, text)
	p := &parser{opts: Options{Header: header}, name: "in.h"}
	ast, in, errs := p.translate(amd64)
	if len(errs) > 0 {
		t.Fatalf("%v in\n%s", errs, text)
	}
	f = newFacts(p, ast, in, amd64)
	f.read()
	f.errs = append(f.errs, f.addARM64()...)
	laidOut = &api.Release{Typedefs: f.rel.Typedefs}
	for _, r := range f.rel.Records {
		told := slices.ContainsFunc(f.errs, func(d diag.Diag) bool { return d.Subject == r.Tag })
		if r.Incomplete || told || f.lay.records[recordID(f.layouts[r.Tag])].bad != nil {
			refused = append(refused, r.Tag)
			continue
		}
		laidOut.Records = append(laidOut.Records, r)
	}
	if len(refused) > 0 && len(f.errs) == 0 {
		t.Errorf("%v are refused without an error in\n%s", refused, text)
	}
	return f, laidOut, refused
}

// TestLayoutsOfRandomRecords holds 2,000 records of every kind that C, gcc and clang have against what compilers make of
// them: they are right or refused, never different.
func TestLayoutsOfRandomRecords(t *testing.T) {
	const headers, records = 10, 200
	var compilers []compiler
	for _, arch := range []string{amd64, arm64} {
		compilers = append(compilers, compilersOf(t, arch)...)
	}
	if len(compilers) == 0 {
		t.Skip("no C compiler")
	}
	right, refused, different := 0, 0, 0
	for seed := range headers {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
		text := g.header(records)
		f, rel, no := read(t, text)
		bad := map[string]bool{}
		for _, c := range compilers {
			r := c.compare(f, rel)
			if r.why != "" {
				t.Fatalf("seed %d: %s in\n%s", seed, r.why, text)
			}
			for _, d := range r.differences {
				bad[d.Subject] = true
				t.Errorf("seed %d: %v", seed, d)
			}
		}
		refused += len(no)
		different += len(bad)
		right += len(rel.Records) - len(bad)
	}
	t.Logf("%d right, %d refused, %d different, by %v", right, refused, different, compilers)
	if right+refused+different < 2000 || right < 1000 {
		t.Errorf("%d records right, of %d", right, right+refused+different)
	}
}

// TestLayoutsOfInstalledHeaders holds what five libraries declare against the compilers at hand. Of their records 95 % are laid out.
func TestLayoutsOfInstalledHeaders(t *testing.T) {
	for library, headers := range map[string][]string{
		"rdma-core": {"infiniband/verbs.h", "infiniband/mlx5dv.h", "rdma/rdma_cma.h", "rdma/rsocket.h"},
		"libibumad": {"infiniband/umad.h", "infiniband/umad_cm.h"},
		"librpma":   {"librpma.h"},
		"libfabric": {"rdma/fi_ext.h", "rdma/fi_trigger.h", "rdma/fi_collective.h"},
		"libnuma":   {"numa.h", "numaif.h"},
	} {
		t.Run(library, func(t *testing.T) {
			laidOut, refused := 0, 0
			for _, name := range headers {
				header := filepath.Join("/usr/include", name)
				if _, err := os.Stat(header); err != nil {
					t.Logf("%s is not installed", name)
					continue
				}
				rel, err := Parse(Options{Header: header, Include: []string{"/usr/include"}, Note: func(note string) { t.Log(note) }})
				list := diag.From(err)
				for _, d := range list {
					t.Log(d)
					if strings.Contains(d.Problem, "in another way than") {
						t.Error("differs")
					}
				}
				if refused += len(list); rel != nil {
					laidOut += len(rel.Records)
				}
			}
			if laidOut+refused == 0 {
				t.Skipf("no header of %s is installed", library)
			}
			t.Logf("%d records laid out, %d refused", laidOut, refused)
			if laidOut < 19*refused {
				t.Error("fewer than 95 %")
			}
		})
	}
}

// TestLayoutsAreCompared: a difference is found, in sizes, offsets and bits.
func TestLayoutsAreCompared(t *testing.T) {
	compilers := compilersOf(t, amd64)
	if len(compilers) == 0 {
		t.Skip("no C compiler")
	}
	f, rel, _ := read(t, "struct a { char c; int i; };\nstruct b { unsigned x : 3, y : 5; };\ntypedef struct { struct { long l; } *p; } c;\n")
	for _, change := range []struct {
		what   string
		change func()
	}{
		{"size", func() { rel.Records[0].Size++ }},
		{"alignment", func() { rel.Records[0].Align = 1 }},
		{"offset of i", func() { rel.Records[0].Fields[1].Offset = 1 }},
		{"size of i", func() { rel.Records[0].Fields[1].Size = 2 }},
		{"first bit of y", func() { *rel.Records[1].Fields[1].BitOffset = 4 }},
		{"first bit of x", func() { *rel.Records[1].Fields[0].BitSize = 2 }},
		{"size of l", func() { rel.Records[3].Fields[0].Size = 4 }},
	} {
		before := clone(rel)
		change.change()
		r := compilers[0].compare(f, rel)
		if len(r.differences) != 1 || !strings.Contains(r.differences[0].Problem, change.what+" is") {
			t.Errorf("%s: %v %s", change.what, r.differences, r.why)
		}
		*rel = *before
	}
	if r := compilers[0].compare(f, rel); len(r.differences) > 0 || r.why != "" {
		t.Error(r)
	}
}

func clone(rel *api.Release) *api.Release {
	c := *rel
	c.Records = slices.Clone(rel.Records)
	for i := range c.Records {
		c.Records[i].Fields = slices.Clone(c.Records[i].Fields)
		for j := range c.Records[i].Fields {
			if b := c.Records[i].Fields[j].BitSize; b != nil {
				size, offset := *b, *c.Records[i].Fields[j].BitOffset
				c.Records[i].Fields[j].BitSize, c.Records[i].Fields[j].BitOffset = &size, &offset
			}
		}
	}
	return &c
}

// generator writes random records.
type generator struct {
	*rand.Rand
	b     strings.Builder
	n     int
	types []string // that were defined so far, of any use as a member
	odd   bool     // uses what few headers use
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) one(in int) bool { return g.IntN(in) == 0 }

func (g *generator) name(prefix string) string {
	g.n++
	return fmt.Sprint(prefix, g.n)
}

func (g *generator) header(records int) string {
	for range records {
		g.odd = g.one(3)
		g.helper()
		g.record()
	}
	return g.b.String()
}

// helper defines an enum or a typedef.
func (g *generator) helper() {
	name := g.name("t")
	switch g.IntN(12) {
	case 0:
		fmt.Fprintf(&g.b, "enum %s { %sA, %sB = %s };\n", name, name, name, g.pick("7", "-1", "0x80000000", "0x7fffffff"))
		g.types = append(g.types, "enum "+name)
	case 1:
		fmt.Fprintf(&g.b, "enum %s { %sA, %sB = %s };\n", name, name, name, g.pick("0x100000000", "-0x80000001LL", "1ULL << 40"))
		g.types = append(g.types, "enum "+name)
	case 2:
		fmt.Fprintf(&g.b, "typedef %s %s[%d];\n", g.scalar(), name, 1+g.IntN(4))
		g.types = append(g.types, name)
	case 3:
		if g.odd {
			attr := g.pick("packed", "__packed__", "mode(QI)", "aligned(8)")
			fmt.Fprintf(&g.b, "enum %s { %sA, %sB } __attribute__((%s));\n", name, name, name, attr)
			g.types = append(g.types, "enum "+name)
		}
	case 4:
		if g.odd {
			fmt.Fprintf(&g.b, "typedef %s %s __attribute__((%s));\n", g.pick("int", "char", "unsigned long"), name,
				g.pick("aligned(8)", "aligned(16)", "aligned(2)", "aligned", "mode(DI)", "vector_size(16)"))
			g.types = append(g.types, name)
		}
	case 5:
		fmt.Fprintf(&g.b, "typedef struct { %s a; %s b; } %s;\n", g.scalar(), g.scalar(), name)
		g.types = append(g.types, name)
	}
}

func (g *generator) scalar() string {
	return g.pick("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long long int",
		"float", "double", "_Bool", "void *", "const char *const", "long double", "__int128", "unsigned __int128", "int long", "volatile int")
}

func (g *generator) record() {
	kind, tag := g.pick("struct", "struct", "struct", "union"), g.name("r")
	g.b.WriteString(kind + " ")
	before := g.one(2)
	attr := g.attribute()
	if before {
		g.b.WriteString(attr)
	}
	fmt.Fprintf(&g.b, " %s {\n", tag)
	g.members(1+g.IntN(6), 0, kind == "struct")
	g.b.WriteString("}")
	if !before {
		g.b.WriteString(attr)
	}
	g.b.WriteString(";\n")
	g.types = append(g.types, kind+" "+tag)
}

// attribute is one of a record.
func (g *generator) attribute() string {
	switch g.IntN(10) {
	case 0:
		return " __attribute__((packed))"
	case 1:
		return " __attribute__((__packed__, __aligned__(" + g.pick("2", "4", "8") + ")))"
	case 2:
		return " __attribute__((aligned(" + g.pick("8", "16", "64", "2 * sizeof(long)") + ")))"
	case 3:
		return g.pick(" __attribute__((aligned))", " __attribute__((deprecated))", " __attribute__((unused, __may_alias__))")
	}
	return ""
}

func (g *generator) members(n, depth int, flexible bool) {
	for i := range n {
		g.b.WriteString("\t")
		g.member(depth, i > 0 && i == n-1 && flexible)
	}
}

func (g *generator) member(depth int, last bool) {
	name := g.name("m")
	switch k := g.IntN(20); {
	case k < 6:
		fmt.Fprintf(&g.b, "%s %s;\n", g.scalar(), name)
	case k < 8:
		fmt.Fprintf(&g.b, "%s %s%s;\n", g.scalar(), name, g.pick("[3]", "[2][5]", "[0]", "[1 + 1]", "[sizeof(int)]"))
	case k < 12:
		g.bitField(name)
	case k == 12 && depth < 2:
		fmt.Fprintf(&g.b, "%s {\n", g.pick("struct", "union"))
		g.members(1+g.IntN(3), depth+1, false)
		fmt.Fprintf(&g.b, "\t}%s %s;\n", g.attribute(), g.pick("", name, name+"[2]", "*"+name))
	case k < 15 && len(g.types) > 0:
		t := g.types[g.IntN(len(g.types))]
		fmt.Fprintf(&g.b, "%s %s;\n", t, g.pick(name, name, "*"+name))
	case k == 15:
		fmt.Fprintf(&g.b, "int (*%s)(void *, %s);\n", name, g.pick("int", "char"))
	case k == 16 && last:
		fmt.Fprintf(&g.b, "int %s_2; %s %s[];\n", name, g.pick("char", "int", "long"), name)
	case k == 17 && len(g.types) > 0 && depth == 0:
		if t := g.types[g.IntN(len(g.types))]; g.odd {
			fmt.Fprintf(&g.b, "char %s[sizeof(%s)];\n", name, t)
			return
		}
		fmt.Fprintf(&g.b, "_Static_assert(sizeof(int) == 4, \"int\"); char %s;\n", name)
	case k == 18:
		fmt.Fprintf(&g.b, "%s %s __attribute__((%s));\n", g.scalar(), name, g.pick("aligned(8)", "aligned(32)", "aligned", "unused"))
	case k == 19 && g.odd:
		fmt.Fprintf(&g.b, "%s\n", strings.ReplaceAll(g.pick("_Alignas(16) char N;", "_Alignas(long) int N;", "int N __attribute__((packed));",
			"unsigned N : 3 __attribute__((aligned(8)));", "unsigned N : 3 __attribute__((packed));", "_Atomic int N;", "_Atomic(long) N;",
			"__attribute__((aligned(16))) int N, *N_2;", "__typeof__(1L) N;", "int N, N_2 __attribute__((aligned(16)));",
			"enum { N_A, N_B } N;", "enum { N_A } __attribute__((packed)) N;", "int *__attribute__((aligned(16))) N;", "double _Complex N;",
			"struct { int N_1; } __attribute__((aligned(16))) N;"), "N", name))
	default:
		fmt.Fprintf(&g.b, "%s %s, *%s_2;\n", g.pick("int", "char", "long"), name, name)
	}
}

func (g *generator) bitField(name string) {
	widths := map[string]int{"unsigned char": 8, "signed char": 8, "unsigned short": 16, "int": 32, "unsigned": 32, "unsigned long": 64,
		"long long": 64}
	if g.one(6) {
		fmt.Fprintf(&g.b, "_Bool %s : 1;\n", name)
		return
	}
	t := g.pick("unsigned char", "signed char", "unsigned short", "int", "unsigned", "unsigned long", "long long", "unsigned", "int")
	switch width := 1 + g.IntN(widths[t]); {
	case g.one(8):
		fmt.Fprintf(&g.b, "%s : %d;\n", t, width)
	case g.one(8):
		fmt.Fprintf(&g.b, "%s : 0;\n", t)
	default:
		fmt.Fprintf(&g.b, "%s %s : %d%s;\n", t, name, width, g.pick("", "", ", "+name+"_2 : 1"))
	}
}

// TestFactsWithoutCompiler: the facts of a header are the same with a compiler and without, or it is refused without.
func TestFactsWithoutCompiler(t *testing.T) {
	const verbs = "/usr/include/infiniband/verbs.h"
	headers := []string{"/usr/include/rdma/rdma_cma.h", "/usr/include/rdma/fi_errno.h", "/usr/include/numa.h", "/usr/include/librpma.h"}
	installed, err := filepath.Glob(filepath.Join(filepath.Dir(verbs), "*.h"))
	archives, err2 := filepath.Glob("testdata/[^b]*.txtar")
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	var all []Options
	for _, header := range append(headers, installed...) {
		if _, err := os.Stat(header); err == nil {
			all = append(all, Options{Header: header, Include: []string{"/usr/include"}})
		}
	}
	for _, file := range archives {
		ar := must(txtar.ParseFile(file))(t)
		opts, _, _ := unpack(t, ar)
		all = append(all, opts)
	}
	with := make([]*api.Release, len(all))
	failed := make([]error, len(all))
	for i, opts := range all {
		with[i], failed[i] = Parse(opts)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CC", "")
	same, refused := 0, 0
	for i, opts := range all {
		switch without, err := Parse(opts); {
		case err != nil && opts.Header == verbs:
			t.Errorf("verbs.h needs a compiler: %v", err)
		case err != nil:
			refused++
		case failed[i] != nil:
			t.Errorf("%s is refused with a compiler only: %v", opts.Header, failed[i])
		case !reflect.DeepEqual(with[i], without):
			t.Errorf("%s: the facts differ", opts.Header)
		default:
			same++
		}
	}
	t.Logf("%d headers with the same facts, %d refused without a compiler", same, refused)
	if len(installed) > 0 && same <= 20 {
		t.Error("fewer than verbs.h and twenty others")
	}
}
