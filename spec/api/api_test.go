package api

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func load(t *testing.T, release string) *Release {
	t.Helper()
	rel, err := Load(release)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func TestReleases(t *testing.T) {
	if got, want := Releases(), []string{"33.2", "44.0", "56.1", "65.0"}; !slices.Equal(got, want) {
		t.Errorf("Releases: %v, want %v", got, want)
	}
	if got := Newest(); got != "65.0" {
		t.Errorf("Newest: %s", got)
	}
	names := []string{"65.0", "9.12", "9.2", "33.2", "33", "33.2.1", "33.rc"}
	slices.SortFunc(names, Compare)
	if want := []string{"9.2", "9.12", "33", "33.rc", "33.2", "33.2.1", "65.0"}; !slices.Equal(names, want) {
		t.Errorf("Compare orders %v, want %v", names, want)
	}
}

func TestLoadUnknown(t *testing.T) {
	rel, err := Load("12.0")
	var unknown *UnknownError
	if rel != nil || !errors.As(err, &unknown) || unknown.Release != "12.0" || len(unknown.Known) != len(Releases()) {
		t.Fatalf("got %v, %v", rel, err)
	}
	if want := "no facts of release 12.0; known are 33.2, 44.0, 56.1, 65.0"; err.Error() != want {
		t.Errorf("told %q, want %q", err, want)
	}
}

// TestCounts holds what is stored against counts that were made with another C parser. Its records leave out the one of
// the kernel's headers that ours hold by value.
func TestCounts(t *testing.T) {
	type counts struct {
		functions, exported, inline    int
		structs, unions, incomplete    int
		enums, anonymous, enumerators  int
		masks, aliases, arm64, private int
	}
	for release, want := range map[string]counts{
		"33.2": {156, 62, 94, 106, 1, 2, 82, 5, 496, 26, 26, 8, 0},
		"44.0": {162, 67, 95, 106, 1, 2, 84, 5, 511, 26, 26, 8, 0},
		"56.1": {164, 68, 96, 106, 1, 2, 88, 5, 526, 26, 26, 8, 1},
		"65.0": {184, 87, 97, 115, 1, 3, 97, 5, 564, 30, 26, 8, 1},
	} {
		rel := load(t, release)
		got := counts{functions: len(rel.Functions), enums: len(rel.Enums), aliases: len(rel.Aliases)}
		for _, f := range rel.Functions {
			count(&got.inline, f.Kind == Inline)
			count(&got.exported, f.Kind != Inline)
			count(&got.private, f.Private)
		}
		for _, r := range rel.Records {
			if strings.HasPrefix(r.Pos.File, "rdma/") {
				continue
			}
			count(&got.structs, strings.HasPrefix(r.Tag, "struct ") && !r.Incomplete)
			count(&got.unions, strings.HasPrefix(r.Tag, "union "))
			count(&got.incomplete, r.Incomplete)
			count(&got.masks, slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Name == "comp_mask" }))
			count(&got.arm64, r.ARM64 != nil)
		}
		for _, e := range rel.Enums {
			count(&got.anonymous, strings.Contains(e.Tag, "<"))
			got.enumerators += len(e.Enumerators)
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", release, got, want)
		}
	}
}

func count(n *int, yes bool) {
	if yes {
		*n++
	}
}

// TestWays counts how the inline functions reach the provider.
func TestWays(t *testing.T) {
	for release, want := range map[string]map[string]int{
		"33.2": {WayObject: 42, WayVerbs: 28, WayOps: 7, WayExport: 2, WayPure: 4, WaySpecial: 11},
		"44.0": {WayObject: 43, WayVerbs: 28, WayOps: 7, WayExport: 2, WayPure: 4, WaySpecial: 11},
		"56.1": {WayObject: 44, WayVerbs: 28, WayOps: 7, WayExport: 2, WayPure: 4, WaySpecial: 11},
		"65.0": {WayObject: 44, WayVerbs: 28, WayOps: 7, WayExport: 3, WayPure: 4, WaySpecial: 11},
	} {
		got := map[string]int{}
		for _, f := range load(t, release).Functions {
			if (f.Dispatch != nil) != (f.Kind == Inline) {
				t.Errorf("%s: %s is %s, and has a dispatch: %v", release, f.Name, f.Kind, f.Dispatch != nil)
			}
			if f.Dispatch != nil {
				got[f.Dispatch.Way]++
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", release, got, want)
		}
	}
}

// TestForms tells what is done with results, and with a missing op: always EOPNOTSUPP.
func TestForms(t *testing.T) {
	got := map[string]int{}
	for _, f := range load(t, "65.0").Functions {
		if d := f.Dispatch; d != nil && d.Way != WaySpecial && d.Way != WayPure {
			got[strings.TrimSpace(strings.Join([]string{d.Way, d.Form, d.ErrVia, d.Missing}, " "))]++
		}
	}
	want := map[string]int{
		"object void": 23, "object value": 15, "object code": 6, "verbs value errno EOPNOTSUPP": 12, "verbs code return EOPNOTSUPP": 16,
		"ops value errno EOPNOTSUPP": 1, "ops code": 6, "export code": 2, "export value": 1,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestOdd has the functions that a generator by name would get wrong.
func TestOdd(t *testing.T) {
	byName := map[string]Function{}
	for _, f := range load(t, "65.0").Functions {
		byName[f.Name] = f
	}
	for name, want := range map[string]Dispatch{
		"ibv_create_flow":              {Way: WayVerbs, Op: "ibv_create_flow", Object: "qp->context", Args: []string{"qp", "flow"}},
		"ibv_wc_read_invalidated_rkey": {Way: WayObject, Op: "read_imm_data", Object: "cq", Args: []string{"cq"}},
		"ibv_memcpy_from_dm":           {Way: WayObject, Op: "memcpy_from_dm", Object: "dm", Args: []string{"host_addr", "dm", "dm_offset", "length"}},
		"ibv_query_rt_values_ex":       {Way: WayVerbs, Op: "query_rt_values", Object: "context", Args: []string{"context", "values"}},
		"ibv_query_gid_ex":             {Way: WayExport, Op: "_ibv_query_gid_ex", Args: []string{"context", "port_num", "gid_index", "entry", "flags", "sizeof(*entry)"}},
		"ibv_alloc_mw":                 {Way: WayOps, Op: "alloc_mw", Object: "pd->context", Args: []string{"pd", "type"}},
		"ibv_close_xrcd":               {Way: WaySpecial},
	} {
		got := *byName[name].Dispatch
		got.Missing, got.ErrVia, got.Form, got.Hash = "", "", "", ""
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	for name, want := range map[string]string{"ibv_query_port": "___ibv_query_port", "ibv_reg_mr": "__ibv_reg_mr", "ibv_reg_mr_iova": "__ibv_reg_mr_iova", "ibv_get_device_list": ""} {
		if f := byName[name]; f.Redirect != want || (f.Kind == Redirect) != (want != "") {
			t.Errorf("%s: kind %s, redirect %q", name, f.Kind, f.Redirect)
		}
	}
	for name, want := range map[string]string{"mult_to_ibv_rate": "IBVERBS_1.0", "ibv_reg_mr": "IBVERBS_1.1", "ibv_reg_mr_iova2": "IBVERBS_1.8", "ibv_wr_opcode_str": "IBVERBS_PRIVATE_65"} {
		if f := byName[name]; f.Version != want {
			t.Errorf("%s: version %s, want %s", name, f.Version, want)
		}
	}
}

// TestStable: nothing was ever removed, and no signature, enumerator or symbol version changed.
func TestStable(t *testing.T) {
	for i, release := range Releases()[1:] {
		old, now := load(t, Releases()[i]), load(t, release)
		functions, values := map[string]Function{}, map[string]int64{}
		for _, f := range now.Functions {
			functions[f.Name] = f
		}
		for _, e := range now.Enums {
			for _, v := range e.Enumerators {
				values[v.Name] = v.Value
			}
		}
		for _, f := range old.Functions {
			g := functions[f.Name]
			if f.Ret != g.Ret || !slices.EqualFunc(f.Params, g.Params, func(a, b Param) bool { return a.Type == b.Type }) || f.Version != g.Version && !f.Private {
				t.Errorf("%s: %s differs from %s", release, f.Name, old.Release)
			}
		}
		for _, e := range old.Enums {
			for _, v := range e.Enumerators {
				if now, ok := values[v.Name]; !ok || now != v.Value {
					t.Errorf("%s: enumerator %s is %d, was %d", release, v.Name, now, v.Value)
				}
			}
		}
	}
}

func TestSince(t *testing.T) {
	since, err := Since()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"ibv_reg_mr": "33.2", "ibv_wr_flush": "56.1", "ibv_reg_mr_ex": "65.0", "ibv_wr_opcode_str": "56.1", "ibv_nothing": "",
		"struct ibv_mr": "33.2", "struct ibv_mr.lkey": "33.2", "struct ibv_port_attr.active_speed_ex": "56.1", "struct ibv_mr.nothing": "",
		"enum ibv_mtu": "33.2", "IBV_ACCESS_REMOTE_READ": "33.2", "IBV_ACCESS_FLUSH_GLOBAL": "56.1", "IBV_DEVICE_CC_DMA_BOUNCE": "65.0",
		"IBV_FLOW_ACTION_ESP_FLAGS_TUNNEL": "33.2", "struct ibv_flow_action_esp": "33.2", "struct ibv_flow_action_esp.spi": "33.2",
		"struct ib_uverbs_flow_action_esp.spi": "33.2", "union ibv_gid.global.subnet_prefix": "33.2", "struct ibv_dmah": "65.0",
	} {
		if got := since[name]; got != want {
			t.Errorf("%s: since %q, want %q", name, got, want)
		}
	}
}

// TestRoundTrip: what is stored is what Marshal writes of it, and holds no path of a machine.
func TestRoundTrip(t *testing.T) {
	for _, release := range Releases() {
		data, err := os.ReadFile(release + ".json")
		if err != nil {
			t.Fatal(err)
		}
		again, err := Marshal(load(t, release))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, again) {
			t.Errorf("%s.json is not what Marshal writes", release)
		}
		for line := range strings.Lines(string(data)) {
			if _, pos, ok := strings.Cut(line, `"pos":"`); ok && !strings.HasPrefix(pos, "infiniband/") && !strings.HasPrefix(pos, "rdma/") {
				t.Errorf("%s: odd place in %s", release, line)
			}
		}
	}
}

// TestValues: every kind of value survives, and odd text is refused.
func TestValues(t *testing.T) {
	width, bit := 3, 0
	rel := &Release{
		Functions: []Function{{Name: "f", Kind: Exported, Ret: "void", Params: []Param{}, Variadic: true}},
		Records: []Record{
			{Tag: "struct a", Size: 4, Align: 4, Fields: []Field{{Name: "b", Type: "unsigned int", Size: 4, BitOffset: &bit, BitSize: &width}},
				ARM64: &Layout{Size: 8, Align: 8, Offsets: []int64{0}, Sizes: []int64{8}}, Pos: Pos{"C:/odd:name.h", 3, 7}},
			{Tag: "struct c", Incomplete: true, Fields: []Field{}, Pos: Pos{File: "rdma/x.h"}},
		},
		Enums: []Enum{{Tag: "enum <anonymous 1>", Signed: true, Enumerators: []Enumerator{{"A", math.MinInt64, 1}, {"B", math.MaxInt64, 0}}}},
		Macros: []Macro{{Name: "INT", Value: int64(math.MinInt64)}, {Name: "BIG", Value: uint64(math.MaxUint64)},
			{Name: "TEXT", Value: `((void *)"<&>")`}, {Name: "DIGITS", Value: "12"}},
		Aliases:   []Alias{{Name: "x", Of: "y", Kind: "struct"}},
		Typedefs:  []Typedef{{Name: "t", Type: "int"}},
		Variables: []Variable{{Name: "v", Type: "int"}},
	}
	file := filepath.Join(t.TempDir(), "own.json")
	if err := Write(rel, file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("{\n\"release\": null,\n")) || !bytes.Contains(data, []byte(`"((void *)\"<&>\")"`)) {
		t.Errorf("written as %s", data)
	}
	got, err := Unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	rel.Records[1].Pos = Pos{File: "rdma/x.h"}
	if !reflect.DeepEqual(got, rel) {
		t.Errorf("read back as %+v\nwant %+v", got, rel)
	}
	for _, bad := range []string{
		"", "{", `{"macros":[{"name":"X","value":1.5}]}`, `{"macros":[{"name":"X","value":[]}]}`, `{"macros":[{"name":"X","value":18446744073709551616}]}`,
		`{"functions":[{"name":"f","pos":"x:y:z"}]}`, `{"functions":[{"name":"f","pos":"x:0:1"}]}`, `{"functions":[{"name":"f","pos":"x:1"}]}`,
	} {
		if rel, err := Unmarshal([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, rel)
		}
	}
}

// TestWriteKeepsOld: a file that cannot be replaced stays as it is.
func TestWriteKeepsOld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	if err := Write(&Release{}, filepath.Join(dir, "own.json")); err == nil {
		t.Error("wrote into a folder that is not there")
	}
	file := filepath.Join(t.TempDir(), "own.json")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(&Release{Macros: []Macro{{Name: "X", Value: make(chan int)}}}, file); err == nil {
		t.Error("wrote a channel")
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "old" {
		t.Errorf("the old file holds %q, %v", data, err)
	}
}
