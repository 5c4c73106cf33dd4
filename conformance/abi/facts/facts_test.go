package facts

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

// module is one of the project's modules, as its packages have it.
type module struct {
	name, header string
	own          []string // see Header
	library      string   // file name
	facts        string   // file of spec/api
}

// modules are all of them.
var modules = []module{
	{"verbs", "infiniband/verbs.h", nil, "libibverbs.so.1", "facts.txt"},
	{"rdmacm", "rdma/rdma_cma.h", []string{"rdma/rdma_cma.h"}, "librdmacm.so.1", "rdmacm.txt"},
	{"efadv", "infiniband/efadv.h", []string{"infiniband/efadv.h"}, "libefa.so.1", "efadv.txt"},
	{"hnsdv", "infiniband/hnsdv.h", []string{"infiniband/hnsdv.h"}, "libhns.so.1", "hnsdv.txt"},
	{"mlx5dv", "infiniband/mlx5dv.h", []string{"infiniband/mlx5dv.h", "infiniband/mlx5_api.h", "infiniband/mlx5_user_ioctl_verbs.h"},
		"libmlx5.so.1", "mlx5dv.txt"},
}

func (m module) in(cc, include string) Header {
	return Header{CC: cc, Include: include, Name: m.header, Own: m.own}
}

// TestInstalled compares the headers that are installed, read by the command, with gcc's view of them.
func TestInstalled(t *testing.T) {
	const include = "/usr/include"
	bin := command(t)
	for _, m := range modules {
		t.Run(m.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(include, m.header)); err != nil {
				if os.Getenv("VERBS_REQUIRE_HEADER") == "1" {
					t.Fatal(err)
				}
				t.Skip("no installed header (VERBS_REQUIRE_HEADER=1 makes this a failure): ", err)
			}
			rel := m.inventory(t, bin, include)
			report(t, Compare(rel, look(t, m.in("gcc", include)), false))
		})
	}
}

// TestRoots does the same for unpacked packages and for headers out of a clone: VERBSGEN_FACT_ROOTS lists folders, each
// named after its release, with a usr/include and, of a package, a usr/lib in it. The stored facts of that release are compared
// as well, for arm64 too where its compiler is installed.
func TestRoots(t *testing.T) {
	list := os.Getenv("VERBSGEN_FACT_ROOTS")
	if list == "" {
		t.Skip("VERBSGEN_FACT_ROOTS is not set: see .ci/facts")
	}
	bin := command(t)
	for _, root := range filepath.SplitList(list) {
		for _, m := range modules {
			t.Run(filepath.Base(root)+"/"+m.name, func(t *testing.T) { m.checkRoot(t, bin, root) })
		}
	}
}

func (m module) checkRoot(t *testing.T, bin, root string) {
	release := filepath.Base(root)
	include := filepath.Join(root, "usr/include")
	if _, err := os.Stat(filepath.Join(include, m.header)); m.own != nil && errors.Is(err, fs.ErrNotExist) {
		t.Skip("it has no headers of this module")
	}
	fresh := m.inventory(t, bin, include)
	known, err := api.KnownOf(m.facts)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := known.Load(release)
	if err != nil {
		t.Fatal(err)
	}
	for _, cc := range []string{"gcc", "aarch64-linux-gnu-gcc"} {
		t.Run(cc, func(t *testing.T) {
			if _, err := exec.LookPath(cc); err != nil {
				t.Skip(err)
			}
			view := look(t, m.in(cc, include))
			report(t, Compare(fresh, view, false))
			report(t, Compare(stored, view, true))
		})
	}
	if _, err := os.Stat(filepath.Join(root, "usr/lib")); errors.Is(err, fs.ErrNotExist) {
		t.Log("headers alone: symbol versions are not compared")
		return
	}
	libs, err := filepath.Glob(filepath.Join(root, "usr/lib/*", m.library))
	if err != nil || len(libs) != 1 {
		t.Fatalf("want one %s below %s, have %v (%v)", m.library, root, libs, err)
	}
	versions, err := DefaultVersions(libs[0])
	if err != nil {
		t.Fatal(err)
	}
	report(t, CompareVersions(stored, versions))
}

// TestNotices alters the facts one by one: each change must be told, by the name of what was changed.
func TestNotices(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "own/small.h"), []byte(smallHeader), 0o644); err != nil {
		t.Fatal(err)
	}
	view := look(t, Header{CC: "gcc", Include: dir, Name: "own/small.h"})
	if diffs := Compare(small(), view, true); len(diffs) > 0 {
		t.Fatalf("the unaltered facts differ:\n%s", strings.Join(diffs, "\n"))
	}
	for _, c := range []struct {
		name, want string
		alter      func(*api.Release)
	}{
		{"size", "struct s_box: size is 17, gcc says 16", func(r *api.Release) { r.Records[0].Size++ }},
		{"offset", "struct s_box.wide: offset is 9, gcc says 8",
			func(r *api.Release) { r.Records[0].Fields[1].Offset++ }},
		{"field size", "struct s_box.tag: size is 2, gcc says 1",
			func(r *api.Release) { r.Records[0].Fields[0].Size++ }},
		{"field type", "struct s_box.tag: type is int8_t, gcc says uint8_t",
			func(r *api.Release) { r.Records[0].Fields[0].Type = "int8_t" }},
		{"field name", "struct s_box.tug: gcc does not have it",
			func(r *api.Release) { r.Records[0].Fields[0].Name = "tug" }},
		{"field lost", "struct s_box.wide: only gcc has it",
			func(r *api.Release) { r.Records[0].Fields = r.Records[0].Fields[:1] }},
		{"bit width", "struct s_bits.high: type is unsigned int : 6, gcc says unsigned int : 5",
			func(r *api.Release) { *r.Records[1].Fields[1].BitSize++ }},
		{"bit offset", "struct s_bits.high: offset is 4, gcc says 3",
			func(r *api.Release) { *r.Records[1].Fields[1].BitOffset++ }},
		{"record lost", "struct s_box: only gcc has it", func(r *api.Release) { r.Records = r.Records[1:] }},
		{"record made up", "struct s_ghost: gcc does not have it", func(r *api.Release) { r.Records[0].Tag = "struct s_ghost" }},
		{"incomplete", "struct s_box: size is , gcc says 16", func(r *api.Release) { r.Records[0].Incomplete = true }},
		{"value", "S_B: value is 8, gcc says 7", func(r *api.Release) { r.Enums[0].Enumerators[1].Value++ }},
		{"enumerator lost", "S_B: only gcc has it",
			func(r *api.Release) { r.Enums[0].Enumerators = r.Enums[0].Enumerators[:1] }},
		{"enum lost", "enum s_mode: only gcc has it", func(r *api.Release) { r.Enums = r.Enums[1:] }},
		{"signedness", "enum s_mode: C type is unsigned int, gcc says int", func(r *api.Release) { r.Enums[0].Signed = false }},
		{"function lost", "s_open: only gcc has it", func(r *api.Release) { r.Functions = r.Functions[1:] }},
		{"function made up", "s_shut: gcc does not have it", func(r *api.Release) { r.Functions[0].Name = "s_shut" }},
		{"kind", "s_twice: kind is exported, gcc says inline", func(r *api.Release) { r.Functions[1].Kind = api.Exported }},
		{"parameter", "s_open: signature is int (char*), gcc says int (const char*)",
			func(r *api.Release) { r.Functions[0].Params[0].Type = "char *" }},
		{"line", "s_open: place is own/small.h:99", func(r *api.Release) { r.Functions[0].Pos.Line = 99 }},
		{"macro value", "S_CAP: value is 17179869185, gcc says 17179869184",
			func(r *api.Release) { r.Macros[0].Value = int64(1<<34 + 1) }},
		{"macro text", "S_NONE: value is", func(r *api.Release) { r.Macros[1].Value = "((void *)-2)" }},
		{"macro lost", "S_CAP: only gcc has it", func(r *api.Release) { r.Macros = r.Macros[1:] }},
		{"alias target", "s_case: stands for is s_bag, gcc says s_box", func(r *api.Release) { r.Aliases[0].Of = "s_bag" }},
		{"alias kind", "s_case: gcc knows no enum s_box", func(r *api.Release) { r.Aliases[0].Kind = "enum" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rel := small()
			c.alter(rel)
			diffs := Compare(rel, view, true)
			if !slices.ContainsFunc(diffs, func(d string) bool { return strings.Contains(d, c.want) }) {
				t.Errorf("no difference told with %q, only:\n%s", c.want, strings.Join(diffs, "\n"))
			}
		})
	}
}

// TestAlone compares a header whose neighbour in its folder is of another module: of that, sizes alone.
func TestAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "own"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"small.h": "#include \"beside.h\"\n" + smallHeader,
		"beside.h": "struct s_beside { long a; };\nenum s_kind { S_K = 1 };\n"} {
		if err := os.WriteFile(filepath.Join(dir, "own", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rel := small()
	rel.Records = append(rel.Records, api.Record{Tag: "struct s_beside", Size: 8, Foreign: true,
		Fields: []api.Field{{Name: "b", Type: "int", Size: 4}}})
	rel.Enums = append(rel.Enums, api.Enum{Tag: "enum s_kind", Foreign: true})
	alone := look(t, Header{CC: "gcc", Include: dir, Name: "own/small.h", Own: []string{"own/small.h"}})
	report(t, Compare(rel, alone, false))
	rel.Records[len(rel.Records)-1].Size = 9
	if diffs, want := Compare(rel, alone, false), []string{"struct s_beside: size is 9, gcc says 8"}; !slices.Equal(diffs, want) {
		t.Errorf("told %q, want %q", diffs, want)
	}
	if diffs := Compare(small(), look(t, Header{CC: "gcc", Include: dir, Name: "own/small.h"}), false); len(diffs) != 4 {
		t.Errorf("of two declarations with a member each beside the header: %q", diffs)
	}
}

// TestNoticesVersions does the same for symbol versions.
func TestNoticesVersions(t *testing.T) {
	versions := map[string]string{"s_open": "S_1.1", "s_odd": "S_PRIVATE_3"}
	rel := func(open, odd string, private bool) *api.Release {
		return &api.Release{Functions: []api.Function{{Name: "s_open", Kind: api.Exported, Version: open}, {Name: "s_twice", Kind: api.Inline},
			{Name: "s_odd", Kind: api.Redirect, Version: odd, Private: private}}}
	}
	for _, c := range []struct {
		rel  *api.Release
		want []string
	}{
		{rel("S_1.1", "S_PRIVATE_3", true), nil},
		{rel("S_1.0", "S_PRIVATE_3", true), []string{"function s_open: version is S_1.0, objdump says S_1.1"}},
		{rel("S_1.1", "S_PRIVATE_3", false), []string{"function s_odd: private is false at version S_PRIVATE_3"}},
	} {
		if diffs := CompareVersions(c.rel, versions); !slices.Equal(diffs, c.want) {
			t.Errorf("told %q, want %q", diffs, c.want)
		}
	}
}

const smallHeader = `#include <stdint.h>
struct s_box { uint8_t tag; uint64_t wide; };
struct s_bits { unsigned int low : 3; unsigned int high : 5; };
enum s_mode { S_A = -1, S_B = 7 };
enum { S_LIMIT = 10 };
int s_open(const char *name);
static inline int s_twice(int n) { return n + n; }
#define S_CAP (1ULL << 34)
#define S_NONE ((void *)-1)
#define s_case s_box
`

// small is what we should say of smallHeader.
func small() *api.Release {
	at := func(line int) api.Pos { return api.Pos{File: "own/small.h", Line: line, Col: 1} }
	bits := func(n int) *int { return &n }
	return &api.Release{
		Functions: []api.Function{
			{Name: "s_open", Kind: api.Exported, Ret: "int", Params: []api.Param{{Name: "name", Type: "const char *"}}, Pos: at(6)},
			{Name: "s_twice", Kind: api.Inline, Ret: "int", Params: []api.Param{{Name: "n", Type: "int"}}, Pos: at(7)},
		},
		Records: []api.Record{
			{Tag: "struct s_box", Size: 16, Pos: at(2), Fields: []api.Field{
				{Name: "tag", Type: "uint8_t", Offset: 0, Size: 1}, {Name: "wide", Type: "uint64_t", Offset: 8, Size: 8}}},
			{Tag: "struct s_bits", Size: 4, Pos: at(3), Fields: []api.Field{
				{Name: "low", Type: "unsigned int", Size: 4, BitOffset: bits(0), BitSize: bits(3)},
				{Name: "high", Type: "unsigned int", Size: 4, BitOffset: bits(3), BitSize: bits(5)}}},
		},
		Enums: []api.Enum{
			{Tag: "enum s_mode", Signed: true, Pos: at(4), Enumerators: []api.Enumerator{{Name: "S_A", Value: -1}, {Name: "S_B", Value: 7}}},
			{Tag: "enum <anonymous 1>", Pos: at(5), Enumerators: []api.Enumerator{{Name: "S_LIMIT", Value: 10}}},
		},
		Macros: []api.Macro{
			{Name: "S_CAP", Value: int64(1) << 34, Pos: at(8)},
			{Name: "S_NONE", Value: "((void *)-1)", Pos: at(9)},
		},
		Aliases: []api.Alias{{Name: "s_case", Of: "s_box", Kind: "struct", Pos: at(10)}},
	}
}

func look(t *testing.T, h Header) *View {
	t.Helper()
	view, err := Look(h, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return view
}

func report(t *testing.T, diffs []string) {
	t.Helper()
	for _, d := range diffs {
		t.Error(d)
	}
}

// command builds verbsgen.
func command(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "verbsgen")
	if out, err := exec.Command("go", "build", "-o", bin, "../../../cmd/verbsgen").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// inventory is what the command says of the header below include.
func (m module) inventory(t *testing.T, bin, include string) *api.Release {
	t.Helper()
	out, err := exec.Command(bin, "inventory", "--json", "--module", m.name, "-I", include, "--header",
		filepath.Join(include, m.header)).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("verbsgen inventory: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	rel, err := api.Unmarshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}
