package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

const stored = "../../../../../../spec/evidence.txt"

// TestStored compares spec/evidence.txt with the pages. Each citation of a release in it must have its hash there. Each error was compared
// with the floor and with the newest release that pages cite, and each source says what a change of its function between its releases
// means.
func TestStored(t *testing.T) {
	hashes, err := readEvidence(stored)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := readPages()
	if err != nil {
		t.Fatal(err)
	}
	missing, leftOver := unlike(pages.list, hashes, &pages.ends)
	for _, l := range leftOver {
		t.Errorf("%s: %s: no page cites it; run .ci/evidence REPOSITORY", stored, l)
	}
	for _, m := range missing {
		t.Errorf("%s is not in %s; run .ci/evidence REPOSITORY", m, stored)
	}
	if data, err := os.ReadFile(stored); err != nil || string(data) != string(evidenceText(hashes)) {
		t.Errorf("%s is not as .ci/evidence writes it (%v)", stored, err)
	}
	for _, text := range pages.toRead(hashes) {
		t.Error(text)
	}
}

// TestUnread reads rules about a kernel and a library of two releases each.
func TestUnread(t *testing.T) {
	e := &ends{linux: [2]string{"v6.1.192", "v7.2.13"}, core: [2]string{"v28.0", "v65.0"}, came: api.Index{"ibv_new": "36.0"}}
	hashes := map[line]string{}
	for _, l := range strings.Split(`linux v6.1.192 a.c same 1
linux v7.2.13 a.c same 1
linux v6.1.192 a.c changed 1
linux v7.2.13 a.c changed 2
rdma-core v28.0 b.c same 1
rdma-core v65.0 b.c same 1
rdma-core v36.0 b.c newer 1
rdma-core v65.0 b.c newer 1`, "\n") {
		f := strings.Fields(l)
		hashes[line{f[0], f[1], f[2], f[3]}] = f[4]
	}
	linux := func(function string, releases ...string) spec.Sources {
		return spec.Sources{{Project: "linux", Release: releases, File: "a.c", Func: function}}
	}
	core := func(function string, releases ...string) spec.Sources {
		return spec.Sources{{Project: "rdma-core", Release: releases, File: "b.c", Func: function}}
	}
	run := func(kernels string) spec.Sources { return spec.Sources{{Run: spec.RunRXE, Kernels: []string{kernels}}} }
	in := func(text string) spec.Kernels {
		r, _ := spec.ParseKernels(text)
		return r
	}
	for _, tt := range []struct {
		name    string
		verb    string
		parties []spec.Party
		want    int
	}{
		{"the same text", "ibv_old", []spec.Party{{Source: linux("same", "v6.1.192")}}, 0},
		{"another text", "ibv_old", []spec.Party{{Source: linux("changed", "v6.1.192")}}, 1},
		{"another text, read", "ibv_old", []spec.Party{{Source: linux("changed", "v6.1.192", "v7.2.13")}}, 0},
		{"a text in between", "ibv_old", []spec.Party{{Source: linux("changed", "v6.12.117")}}, 2},
		{"a range that ends", "ibv_old", []spec.Party{{Provider: "mlx5", Kernels: in("6.1..6.12"), Source: linux("same", "v6.1.192")}}, 1},
		{"and goes on", "ibv_old", []spec.Party{{Provider: "mlx5", Kernels: in("6.1..6.12"), Source: linux("same", "v6.1.192")},
			{Provider: "mlx5", Kernels: in(">=6.13"), Source: linux("changed", "v7.2.13")}}, 0},
		{"a verb that came", "ibv_old", []spec.Party{{Kernels: in("<6.17"), WholeVerb: true, Source: linux("same", "v6.1.192")}}, 0},
		{"a range that begins", "ibv_old", []spec.Party{{Provider: "rxe", Kernels: in(">=7.2"), Source: linux("changed", "v7.2.13")}}, 0},
		{"a measurement", "ibv_old", []spec.Party{{Provider: "rxe", Source: run("6.1..7.2")}}, 0},
		{"a measurement of old", "ibv_old", []spec.Party{{Provider: "rxe", Source: run("6.1")}}, 1},
		{"the library", "ibv_old", []spec.Party{{Source: core("same", "v65.0")}}, 0},
		{"a newer library", "ibv_old", []spec.Party{{Source: core("newer", "v65.0")}}, 1},
		{"a newer library, said", "ibv_old", []spec.Party{{Releases: in(">=36.0"), Source: core("newer", "v65.0")}}, 0},
		{"a provider, then the library", "ibv_old", []spec.Party{{Provider: "mlx5", Releases: in("<36.0"), Source: core("older", "v28.0")},
			{Provider: spec.Library, Releases: in(">=36.0"), Source: core("newer", "v36.0", "v65.0")}}, 0},
		{"a provider, then nobody", "ibv_old", []spec.Party{{Provider: "mlx5", Releases: in("<36.0"), Source: core("older", "v28.0")}}, 1},
		{"a newer verb", "ibv_new", []spec.Party{{Source: core("newer", "v65.0")}}, 0},
		{"a newer provider", "ibv_old", []spec.Party{{Provider: "erdma", Source: core("newer", "v43.0", "v65.0")}}, 0},
	} {
		r := &spec.Rule{ID: "VR", Verb: tt.verb, RefusedBy: tt.parties}
		if got := e.unread(r, hashes); len(got) != tt.want {
			t.Errorf("%s: %q, want %d", tt.name, got, tt.want)
		}
	}
	for changed, want := range map[string]int{"": 1, "the check is the same": 0} {
		s := linux("changed", "v6.1.192", "v7.2.13")
		s[0].Changed = changed
		if got := unanswered([]spec.Citation{{Source: &s[0], Rule: &spec.Rule{}}}, hashes); len(got) != want {
			t.Errorf("changed: %q: %q, want %d", changed, got, want)
		}
		s[0].Func = "same"
		if got := unanswered([]spec.Citation{{Source: &s[0], Rule: &spec.Rule{}}}, hashes); len(got) != 1-want {
			t.Errorf("changed: %q of one text: %q, want %d", changed, got, 1-want)
		}
	}
}

// unlike lists the citations of releases that have hashes, but not theirs, and the hashes of what nothing cites.
func unlike(list []spec.Citation, hashes map[line]string, e *ends) (missing []string, leftOver []line) {
	covered := map[string]bool{}
	for l := range hashes {
		covered[l.project+" "+l.release] = true
	}
	rest := maps.Clone(hashes)
	for _, c := range list {
		s := c.Source
		for _, l := range e.lines(c) {
			delete(rest, l)
		}
		for _, release := range releases(s) {
			l := line{s.Project, release, s.File, s.Func}
			delete(rest, l)
			if s.Func != "" && covered[s.Project+" "+release] && hashes[l] == "" {
				missing = append(missing, s.Pos.String()+": "+l.String())
			}
		}
	}
	return missing, slices.SortedFunc(maps.Keys(rest), compareLines)
}

// cite makes a citation of a rule.
func cite(line int, release, file, function string) spec.Citation {
	return spec.Citation{Of: "VR-tea_brew-cup-0001", Rule: &spec.Rule{Verb: "tea_brew"}, Source: &spec.Source{Project: "tea",
		Release: strings.Fields(release), File: file, Func: function, Pos: spec.Pos{File: "tea.yaml", Line: line, Col: 3}}}
}

// write makes a tree of a release with one file.
func write(t *testing.T, release, text string) tree {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "brew.c"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return tree{"tea", release, dir}
}

func TestCollect(t *testing.T) {
	src := newSources([]tree{write(t, "v6.1.9", "int old(void) {}"), write(t, "v6.1", "int brew(void) {}"),
		write(t, "v6.12.1", "int brew(void) {}")})
	list := []spec.Citation{
		cite(1, "v6.1 v6.12.1", "brew.c", "brew"),
		cite(2, "v6.1", "brew.c", "old"),
		cite(3, "v6.1.9", "brew.c", "brew"),
		cite(4, "v6.1", "pour.c", ""),
		cite(5, "v6.1", "brew.c", ""),
		cite(6, "v6.17", "brew.c", "brew"), // no tree
		cite(7, "v6.17", "brew.c", "pour"),
		cite(1, "v6.1 v6.12.1", "brew.c", "brew"), // a shared rule
	}
	hash := readC([]byte("int brew(void) {}")).hash("brew")
	kept := line{"tea", "v6.17", "brew.c", "pour"}
	r := collect(list, src, map[line]string{kept: "0123", {"tea", "v6.17", "brew.c", "gone"}: "4567", {"tea", "v6.1", "brew.c", "old"}: "89"},
		&ends{})
	want := map[line]string{{"tea", "v6.1", "brew.c", "brew"}: hash, {"tea", "v6.12.1", "brew.c", "brew"}: hash, kept: "0123"}
	if !maps.Equal(r.hashes, want) {
		t.Errorf("got %v, want %v", r.hashes, want)
	}
	problems := []string{
		"tea.yaml:2:3: VR-tea_brew-cup-0001: brew.c: tea v6.1 has no old in this file",
		"tea.yaml:3:3: VR-tea_brew-cup-0001: brew.c: tea v6.1.9 has no brew in this file",
		"tea.yaml:4:3: VR-tea_brew-cup-0001: pour.c: tea v6.1 has no such file",
	}
	if !slices.Equal(r.problems, problems) {
		t.Errorf("problems:\n%s", strings.Join(r.problems, "\n"))
	}
	if r.unread["tea v6.17"] != 2 || len(r.unread) != 1 || r.unnamed != 2 {
		t.Errorf("unread %v, %d without a function", r.unread, r.unnamed)
	}
	missing, leftOver := unlike(list[:3], r.hashes, &ends{})
	if len(missing) != 1 || !strings.HasPrefix(missing[0], "tea.yaml:2:3: ") || !slices.Equal(leftOver, []line{kept}) {
		t.Errorf("missing %v, left over %v", missing, leftOver)
	}
}

func TestChanges(t *testing.T) {
	text := "int brew(void) {} int pour(void) {} int boil(void) {}"
	list := []spec.Citation{cite(1, "v1 v2", "brew.c", "brew"), cite(2, "v2", "brew.c", "pour"), cite(3, "v2", "brew.c", "boil"),
		cite(4, "v2", "brew.c", "boil")}
	r := collect(list, newSources([]tree{write(t, "v1", "int brew(int old) {}"), write(t, "v2", text)}), nil, &ends{})
	var out strings.Builder
	newer := write(t, "v3", "int /* same */ brew(void) { } int boil(int hot) {}")
	printChanges(&out, newer, changes(list, r.hashes, newer))
	want := "brew.c: boil: changed since v2: VR-tea_brew-cup-0001 (tea_brew)\n" +
		"brew.c: pour: gone from the file since v2: VR-tea_brew-cup-0001 (tea_brew)\n2 functions differ in tea v3\n"
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
	}
	// of an older series: brew has the text of v2, and pour is newer
	if got := changes(list, r.hashes, write(t, "v1.1", "int brew(void) {}")); len(got) != 0 {
		t.Errorf("v1.1: %v", got)
	}
	if got := changes(list, r.hashes, write(t, "v1.1", "int brew(char cup) {}")); len(got) != 1 || got[0].release != "v1" {
		t.Errorf("v1.1: %v", got)
	}
}

// TestRepository reads a release out of a git repository.
func TestRepository(t *testing.T) {
	made := write(t, "", "int brew(void) {}")
	for _, args := range []string{"init -q", "add .", "-c user.name=a -c user.email=b commit -q -m c", "tag v1"} {
		if out, err := exec.Command("git", append([]string{"-C", made.dir}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	repository, err := parseTree("tea=" + made.dir)
	if err != nil {
		t.Fatal(err)
	}
	list := []spec.Citation{cite(1, "v1 v2", "brew.c", "brew"), cite(2, "v1", "pour.c", "")}
	r := collect(list, newSources([]tree{repository}), nil, &ends{})
	problems := []string{
		"tea.yaml:1:3: VR-tea_brew-cup-0001: the repository of tea has no v2, and no folder is given for it",
		"tea.yaml:2:3: VR-tea_brew-cup-0001: pour.c: tea v1 has no such file",
	}
	if len(r.hashes) != 1 || !slices.Equal(r.problems, problems) {
		t.Errorf("%+v", r)
	}
	// a release that has no tag comes from a folder
	r = collect(list[:1], newSources([]tree{repository, write(t, "v2", "int brew(int cup) {}")}), nil, &ends{})
	if len(r.hashes) != 2 || len(r.problems) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestRunSays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "evidence.txt")
	empty := t.TempDir()
	for _, c := range []struct{ newer, arg, want string }{
		{"", "tea", "neither PROJECT:RELEASE=FOLDER nor PROJECT=REPOSITORY"},
		{"", "tea:v1=" + empty + "/none", "no such folder"},
		{"", "rdma-core=" + empty, "git reads no repository there"},
		{"rdma-core", "", "neither PROJECT"},
		{"", "rdma-core:v65.0=" + empty, "citations of what does not exist"},
	} {
		var out strings.Builder
		err := run(&out, file, c.newer, strings.Fields(c.arg))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got %v, want %q", c.newer, c.arg, err, c.want)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
	if err := os.WriteFile(file, []byte("tea v1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(&strings.Builder{}, file, "", nil); err == nil || !strings.Contains(err.Error(), "evidence.txt:1: ") {
		t.Errorf("a broken file: %v", err)
	}
}
