package api

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func load(t *testing.T, release string) *Release {
	t.Helper()
	return must(Load(release))(t)
}

func TestReleases(t *testing.T) {
	list := Releases()
	if got, want := Ranges(list), "28.0 to 33.0, 33.2, 34.0 to 56.0, 56.1, 57.0 to "+Newest(); got != want {
		t.Errorf("Releases: %v, want %v", got, want)
	}
	if got := Newest(); got != list[len(list)-1] || Compare(got, "65.0") < 0 {
		t.Errorf("Newest: %s", got)
	}
	for _, r := range list {
		if got := Source(r); got != "git:v"+r && got != "tree" {
			t.Errorf("the facts of %s were read from %q", r, got)
		}
	}
	names := []string{"65.0", "9.12", "9.2", "33.2", "33", "33.2.1", "33.rc"}
	slices.SortFunc(names, Compare)
	if want := []string{"9.2", "9.12", "33", "33.rc", "33.2", "33.2.1", "65.0"}; !slices.Equal(names, want) {
		t.Errorf("Compare orders %v, want %v", names, want)
	}
	for _, c := range []struct {
		list []string
		want string
	}{{nil, ""}, {[]string{"1.0"}, "1.0"}, {[]string{"1.0", "2.0"}, "1.0, 2.0"},
		{[]string{"1.0", "2.0", "3.0", "3.1", "5.0", "x"}, "1.0 to 3.0, 3.1, 5.0, x"}} {
		if got := Ranges(c.list); got != c.want {
			t.Errorf("Ranges(%v) = %q, want %q", c.list, got, c.want)
		}
	}
}

func TestLoadUnknown(t *testing.T) {
	rel, err := Load("12.0")
	var unknown *UnknownError
	if rel != nil || !errors.As(err, &unknown) || unknown.Release != "12.0" || len(unknown.Known) != len(Releases()) {
		t.Fatalf("got %v, %v", rel, err)
	}
	if want := "no facts of release 12.0; known are 28.0 to 33.0, 33.2, 34.0 to 56.0, 56.1, 57.0 to " + Newest(); err.Error() != want {
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

// TestStable: no signature and no symbol version ever changed, and of the names that 28.0 has, these are gone; the
// values of enumerators that stayed are the same.
func TestStable(t *testing.T) {
	gone := map[string]string{ // name -> first release without it
		"IBV_FLOW_ATTR_FLAGS_ALLOW_LOOP_BACK": "29.0", "IBV_REREG_MR_KEEP_VALID": "32.0",
	}
	other := map[string]string{"IBV_REREG_MR_FLAGS_SUPPORTED": "32.0"} // name -> first release with another value
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
			if f.Ret != g.Ret || !slices.EqualFunc(f.Params, g.Params, func(a, b Param) bool { return a.Type == b.Type }) ||
				f.Version != g.Version && !f.Private {
				t.Errorf("%s: %s differs from %s", release, f.Name, old.Release)
			}
		}
		for _, e := range old.Enums {
			for _, v := range e.Enumerators {
				now, ok := values[v.Name]
				if !ok && gone[v.Name] == release || ok && now != v.Value && other[v.Name] == release {
					continue
				}
				if !ok || now != v.Value {
					t.Errorf("%s: enumerator %s is %d, was %d", release, v.Name, now, v.Value)
				}
			}
		}
	}
}

// TestAgreement looks at properties on which all releases agree, and at some on which they do not.
func TestAgreement(t *testing.T) {
	got := must(verbs().Agreement())(t)
	for _, c := range []struct{ name, property, want string }{
		{"IBV_QP_RQ_PSN", PropValue, "4096"}, {"struct ibv_sge", PropSize, "16"}, {"struct ibv_sge.length", PropOffset, "8"},
		{"struct verbs_context.alloc_dm", PropOffset, ""}, {"struct verbs_context.alloc_dm", PropFromEnd, "584"},
		{"struct ibv_port_attr", PropSize, ""}, {"ibv_dereg_mr", PropSignature, "int (struct ibv_mr *)"}, {"ibv_alloc_dm", PropOp, "alloc_dm"},
		{"IBV_REREG_MR_FLAGS_SUPPORTED", PropValue, ""},
	} {
		if v := got[c.name][c.property]; v != c.want {
			t.Errorf("%s: %s is %q, want %q", c.name, c.property, v, c.want)
		}
	}
}

// TestStored: to store any release again changes nothing, whatever the order in which they came.
func TestStored(t *testing.T) {
	releases := Releases()
	for _, release := range []string{releases[0], "39.0", Newest()} {
		again := must(Store(factsText(t), load(t, release), Source(release)))(t)
		if string(again) != factsText(t) {
			t.Errorf("storing %s again changes facts.txt", release)
		}
	}
	var text []byte
	for _, release := range []string{"44.0", "65.0", "28.0", "33.2"} {
		var err error
		if text, err = Store(string(text), load(t, release), Source(release)); err != nil {
			t.Fatal(err)
		}
	}
	h := must(parseHistory(string(text)))(t)
	if want := []string{"28.0", "33.2", "44.0", "65.0"}; !slices.Equal(h.releases, want) {
		t.Errorf("stored are %v, want %v", h.releases, want)
	}
	for _, release := range h.releases {
		got := must(h.release(release))(t)
		if !reflect.DeepEqual(got, load(t, release)) {
			t.Errorf("%s: out of four it is not what it is out of all", release)
		}
	}
	for line := range strings.Lines(factsText(t)) {
		if _, pos, ok := strings.Cut(line, `"pos":"`); ok && !strings.HasPrefix(pos, "infiniband/") && !strings.HasPrefix(pos, "rdma/") {
			t.Errorf("odd place in %s", line)
		}
	}
}

// TestNotStored: text that is no store of facts is refused with its line.
func TestNotStored(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                     "line 1: \"{}\" is not FIRST-LAST KIND FACT, with known releases",
		"release 2.0\nrelease 2.0":               `line 2: release "2.0" twice, without a name, or behind the first fact`,
		"release 2.0\nrelease 1.0":               "the releases are not in order, oldest first",
		"release 1.0\n1.0-3.0 macro {}":          `line 2: "1.0-3.0 macro {}" is not FIRST-LAST KIND FACT, with known releases`,
		"release 1.0\nrelease 2.0\n2.0-1.0 x {}": `line 3: "2.0-1.0 x {}" is not FIRST-LAST KIND FACT, with known releases`,
		"release 1.0\n1.0- song {}":              `line 2: unknown kind of fact "song"`,
		"release 1.0\n1.0- macro {":              "line 2: unexpected end of JSON input in {",
		"release 1.0\n1.0- field {}":             "facts of 1.0: a field before the first record",
		"release 1.0\n1.0- enumerator {}":        "facts of 1.0: an enumerator before the first enum",
	} {
		_, err := Store(text, &Release{Release: "9.0"}, "header")
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
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
	data := must(Marshal(rel))(t)
	if !bytes.HasPrefix(data, []byte("{\n\"release\": null,\n")) || !bytes.Contains(data, []byte(`"((void *)\"<&>\")"`)) {
		t.Errorf("written as %s", data)
	}
	got := must(Unmarshal(data))(t)
	rel.Records[1].Pos = Pos{File: "rdma/x.h"}
	if !reflect.DeepEqual(got, rel) {
		t.Errorf("read back as %+v\nwant %+v", got, rel)
	}
	for _, bad := range []string{
		"", "{", `{"macros":[{"name":"X","value":1.5}]}`, `{"macros":[{"name":"X","value":[]}]}`,
		`{"macros":[{"name":"X","value":18446744073709551616}]}`,
		`{"functions":[{"name":"f","pos":"x:y:z"}]}`, `{"functions":[{"name":"f","pos":"x:0:1"}]}`, `{"functions":[{"name":"f","pos":"x:1"}]}`,
	} {
		if rel, err := Unmarshal([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, rel)
		}
	}
}

// TestStoreOdd stores a value that JSON does not have.
func TestStoreOdd(t *testing.T) {
	if _, err := Store("", &Release{Release: "1.0", Macros: []Macro{{Name: "X", Value: make(chan int)}}}, ""); err == nil {
		t.Error("stored a channel")
	}
}

// factsText is the stored text of the facts of verbs.h.
func factsText(t *testing.T) string {
	t.Helper()
	return string(must(stored.ReadFile("facts.txt"))(t))
}

// TestKnownOf gives each file once, facts of no release for no file, and an error for a file that is not there.
func TestKnownOf(t *testing.T) {
	a, err := KnownOf("facts.txt")
	b, _ := KnownOf("facts.txt")
	if err != nil || a != b || a.Newest() != Newest() || a.Oldest() != Releases()[0] {
		t.Errorf("facts.txt: %p and %p, %v", a, b, err)
	}
	none, err := KnownOf("")
	if err != nil || none.Newest() != "" || none.Oldest() != "" || len(none.Releases()) != 0 {
		t.Errorf("no file: newest %q, %v", none.Newest(), err)
	}
	if since, err := none.Since(); len(since) != 0 || err != nil {
		t.Errorf("no file: since %v, %v", since, err)
	}
	if _, err := none.Load("1.0"); err == nil || err.Error() != "no facts of release 1.0; none are known" {
		t.Errorf("no file: %v", err)
	}
	if _, err := KnownOf("none.txt"); err == nil {
		t.Error("none.txt has facts")
	}
}

// must returns what a call gave, if it succeeded.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
