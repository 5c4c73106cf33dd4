package spec

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec/api"
)

var allOverlays = flag.Bool("all-overlays", false, "lay the pages of all scripts over the stored ones, not of some: it takes a minute")

// TestStoredOverlays lays the pages of scripts over the stored pages, and over those that are read: either way there are the same pages
// with the same unknown names, or the same errors in the same places. It takes each third overlay of three scripts.
func TestStoredOverlays(t *testing.T) {
	scripts := []string{"extends", "pending_overlay", "shared_rules"}
	if *allOverlays {
		scripts = []string{"*"}
	}
	all := verbsFacts(t)
	n, fast, refused := 0, 0, 0
	for _, script := range scripts {
		files, err := filepath.Glob("../cmd/verbsgen/testdata/script/" + script + ".txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("no script %s: %v", script, err)
		}
		for _, file := range files {
			for _, dirs := range overlaysOf(t, file) {
				if n++; n%3 != 1 && !*allOverlays {
					continue
				}
				got, err := Stored("", dirs...)
				switch {
				case err != nil:
					refused++
				case got.stored == nil: // all was read
					continue
				default:
					fast++
				}
				sameOverlay(t, file, got, err, "", dirs, all)
			}
		}
	}
	if fast < 6 || refused < 2 {
		t.Errorf("only %d overlays need no YAML of the own pages, and %d are wrong", fast, refused)
	}
}

// TestStoredOverlayOf lays single files over the stored pages: those that need the YAML of the own pages, and one over each module.
func TestStoredOverlayOf(t *testing.T) {
	all := verbsFacts(t)
	for name, text := range map[string]string{
		"ibv_query_port.yaml": "page: ibv_query_port\ntitle: mine\nrelease: \"65.0\"\n", // the rules that it has for others go with it
		"hides.yaml":          "extends: ibv_query_device_ex\nrecords: {DeviceInfoEx: {hide: {comp_mask: no use}}}\n",
		"excepts.yaml": "extends: ibv_alloc_pd\nrules:\n" +
			"  - {extends: VR-ibv_query_port-port_num-0170, except: {ibv_alloc_pd context: no port}}\n",
	} {
		dir := writePages(t, t.TempDir(), map[string]string{name: text})
		got, err := Stored("", dir)
		sameOverlay(t, name, got, err, "", []string{dir}, all)
	}
	for _, module := range Modules() {
		own, err := Stored(module)
		if err != nil {
			t.Fatal(err)
		}
		dir := writePages(t, t.TempDir(), map[string]string{"pending.yaml": "functions: [a_new, a_newer]\n",
			"more.yaml": "extends: " + own.Pages[0].Page + "\nskip: {a_newest: no use}\n"})
		got, err := Stored(module, dir)
		if err != nil || got.stored == nil || got.PendingByC("a_new") == nil || got.SkipByC("a_newest") == nil {
			t.Errorf("%s: %v", module, err)
		}
		sameOverlay(t, module, got, err, module, []string{dir}, facts(t, own.Module, oldest))
	}
}

// sameOverlay compares what Stored gave for folders with what the YAML of all pages gives.
func sameOverlay(t *testing.T, name string, got *Spec, err error, module string, dirs []string, rels []*api.Release) {
	t.Helper()
	want, wantErr := OverlayModule(module, dirs...)
	if text(err) != text(wantErr) {
		t.Errorf("%s: %q: there is\n%s\nwhere the YAML has\n%s", name, dirs, text(err), text(wantErr))
	}
	if err != nil || wantErr != nil {
		return
	}
	if e, wantErr := got.CheckNames(rels...), want.CheckNames(rels...); text(e) != text(wantErr) {
		t.Errorf("%s: %q: names: there is\n%s\nwhere the YAML has\n%s", name, dirs, text(e), text(wantErr))
	}
	got.stored = nil
	for _, s := range []*Spec{got, want} {
		withoutMarks(reflect.ValueOf(s), map[uintptr]bool{})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %q: the pages differ from what the YAML has", name, dirs)
	}
}

// text is that of an error, with its codes.
func text(err error) string {
	errs, ok := err.(Errors)
	if err == nil || !ok {
		return fmt.Sprint(err)
	}
	var lines []string
	for _, e := range errs {
		lines = append(lines, e.Code+" "+e.Error())
	}
	return strings.Join(lines, "\n")
}

// verbsFacts are the releases with all names of the default module.
func verbsFacts(t *testing.T) []*api.Release {
	own, err := Stored("")
	if err != nil {
		t.Fatal(err)
	}
	return facts(t, own.Module, (*api.Known).Cover)
}

// oldest is the oldest release, which lacks names that the pages have.
func oldest(k *api.Known) ([]string, error) { return k.Releases()[:1], nil }

// facts loads some releases of a module.
func facts(t *testing.T, m *Module, which func(*api.Known) ([]string, error)) []*api.Release {
	t.Helper()
	stored, err := api.KnownOf(m.Facts)
	if err != nil {
		t.Fatal(err)
	}
	names, err := which(stored)
	if err != nil {
		t.Fatal(err)
	}
	var out []*api.Release
	for _, name := range names {
		rel, err := stored.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rel)
	}
	return out
}

// overlaysOf writes the pages of a script, and returns the folders that each of its command lines names.
func overlaysOf(t *testing.T, script string) [][]string {
	data, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	lines, rest, _ := strings.Cut("\n"+string(data), "\n-- ")
	files := map[string]string{}
	for part := range strings.SplitSeq(rest, "\n-- ") {
		if name, body, _ := strings.Cut(part, " --\n"); strings.HasSuffix(name, ".yaml") {
			files[name] = body + "\n"
		}
	}
	root := writePages(t, t.TempDir(), files)
	var all [][]string
	for line := range strings.Lines(lines) {
		var dirs []string
		words := strings.Fields(line)
		for i, w := range words {
			if w != "--spec" || i+1 == len(words) {
				continue
			}
			if dir := filepath.Join(root, words[i+1]); isDir(dir) {
				dirs = append(dirs, dir)
			}
		}
		if len(dirs) > 0 && !slices.ContainsFunc(all, func(seen []string) bool { return slices.Equal(seen, dirs) }) {
			all = append(all, dirs)
		}
	}
	return all
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// writePages writes files into a folder, and returns the folder.
func writePages(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
