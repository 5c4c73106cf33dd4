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
)

const stored = "../../../../../../spec/evidence.txt"

// complete says that each citation of a release in spec/evidence.txt must have its hash there. Without it, only lines that nothing
// cites fail.
const complete = true

// TestStored compares spec/evidence.txt with the pages.
func TestStored(t *testing.T) {
	hashes, err := readEvidence(stored)
	if err != nil {
		t.Fatal(err)
	}
	list, err := citations()
	if err != nil {
		t.Fatal(err)
	}
	missing, leftOver := unlike(list, hashes)
	for _, l := range leftOver {
		t.Errorf("%s: %s: no page cites it; run .ci/evidence REPOSITORY", stored, l)
	}
	for _, m := range missing {
		if complete {
			t.Errorf("%s is not in %s; run .ci/evidence REPOSITORY", m, stored)
		} else {
			t.Logf("%s is not in %s", m, stored)
		}
	}
	if data, err := os.ReadFile(stored); err != nil || string(data) != string(evidenceText(hashes)) {
		t.Errorf("%s is not as .ci/evidence writes it (%v)", stored, err)
	}
}

// unlike lists the citations of releases that have hashes, but not theirs, and the hashes of what nothing cites.
func unlike(list []spec.Citation, hashes map[line]string) (missing []string, leftOver []line) {
	covered := map[string]bool{}
	for l := range hashes {
		covered[l.project+" "+l.release] = true
	}
	rest := maps.Clone(hashes)
	for _, c := range list {
		s := c.Source
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
	src := newSources([]tree{write(t, "v6.1.9", "int old(void) {}"), write(t, "v6.1.10", "int brew(void) {}"),
		write(t, "v6.12.1", "int brew(void) {}")})
	list := []spec.Citation{
		cite(1, "v6.1 v6.12.1", "brew.c", "brew"), // v6.1 is v6.1.10
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
	r := collect(list, src, map[line]string{kept: "0123", {"tea", "v6.17", "brew.c", "gone"}: "4567", {"tea", "v6.1", "brew.c", "old"}: "89"})
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
	missing, leftOver := unlike(list[:3], r.hashes)
	if len(missing) != 1 || !strings.HasPrefix(missing[0], "tea.yaml:2:3: ") || !slices.Equal(leftOver, []line{kept}) {
		t.Errorf("missing %v, left over %v", missing, leftOver)
	}
}

func TestChanges(t *testing.T) {
	text := "int brew(void) {} int pour(void) {} int boil(void) {}"
	list := []spec.Citation{cite(1, "v1 v2", "brew.c", "brew"), cite(2, "v2", "brew.c", "pour"), cite(3, "v2", "brew.c", "boil"),
		cite(4, "v2", "brew.c", "boil")}
	r := collect(list, newSources([]tree{write(t, "v1", "int brew(int old) {}"), write(t, "v2", text)}), nil)
	var out strings.Builder
	newer := write(t, "v3", "/* same */ int brew(void) { } int boil(int hot) {}")
	printChanges(&out, newer, changes(list, r.hashes, newer))
	want := "brew.c: boil: changed since v2: VR-tea_brew-cup-0001 (tea_brew)\n" +
		"brew.c: pour: gone from the file since v2: VR-tea_brew-cup-0001 (tea_brew)\n2 functions differ in tea v3\n"
	if out.String() != want {
		t.Errorf("got:\n%s", out.String())
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
	r := collect(list, newSources([]tree{repository}), nil)
	problems := []string{
		"tea.yaml:1:3: VR-tea_brew-cup-0001: the repository of tea has no v2, and no folder is given for it",
		"tea.yaml:2:3: VR-tea_brew-cup-0001: pour.c: tea v1 has no such file",
	}
	if len(r.hashes) != 1 || !slices.Equal(r.problems, problems) {
		t.Errorf("%+v", r)
	}
	// a release that has no tag comes from a folder
	r = collect(list[:1], newSources([]tree{repository, write(t, "v2", "int brew(int cup) {}")}), nil)
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
