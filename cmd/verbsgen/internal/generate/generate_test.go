package generate

import (
	"go/types"
	"os"
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// sweep reports whether tests try everything that they otherwise take samples of: make sweep.
func sweep() bool { return os.Getenv("VERBSGEN_SWEEP") != "" }

// sampled reports whether tests try a case: all of them in a sweep, otherwise one of some.
func sampled(i, of int) bool { return sweep() || i%of == 0 }

// pages loads the project's own pages.
func pages(t *testing.T) *spec.Spec {
	t.Helper()
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	return sp
}

// newest loads the facts of the newest release.
func newest(t *testing.T) *api.Release {
	t.Helper()
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

// module is one of the project's own modules.
type module struct {
	*spec.Spec
	stored *api.Known
	rels   []*api.Release // with other facts than those of the one before
}

// eachModule loads the modules.
func eachModule(t *testing.T, do func(name string, m module)) {
	t.Helper()
	for _, name := range spec.Modules() {
		sp, err := spec.Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		m := module{Spec: sp}
		if m.stored, err = api.KnownOf(sp.Module.Facts); err != nil {
			t.Fatal(err)
		}
		releases, err := m.stored.Different()
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range releases {
			rel, err := m.stored.Load(release)
			if err != nil {
				t.Fatal(err)
			}
			m.rels = append(m.rels, rel)
		}
		do(name, m)
	}
}

// TestEachRelease generates the package of each module for each release with other facts: it compiles, as far as that goes without
// what it imports, and has every method that the model has. Taken for those of a header, the facts have all that the pages and
// hand-written text need.
func TestEachRelease(t *testing.T) {
	eachModule(t, func(name string, m module) {
		methods := 0
		for i, rel := range m.rels {
			if !sampled(i, 4) && i != len(m.rels)-1 {
				continue
			}
			files, pkg, err := Run(rel, m.Spec, Options{Package: "p"})
			if err != nil {
				t.Errorf("%s %s: %v", name, rel.Release, err)
				continue
			}
			header := *rel
			header.Release = ""
			err = CheckKnown(m.Module.Header, &header, m.Module, m.stored, false)
			if _, bindErr := bind.Bind(&header, m.Spec, bind.Options{Package: "p"}); err != nil || bindErr != nil {
				t.Errorf("%s, header of %s: %v, %v", name, rel.Release, err, bindErr)
			}
			checked, err := compiles(files, pkg, m.Spec)
			if err != nil {
				t.Errorf("%s %s: %v", name, rel.Release, err)
				continue
			}
			for _, v := range pkg.Verbs {
				for _, x := range v.Methods {
					recv, ok := checked.Scope().Lookup(x.Recv).(*types.TypeName)
					if !ok || types.NewMethodSet(types.NewPointer(recv.Type())).Lookup(checked, x.Name) == nil {
						t.Errorf("%s %s: the generated package has no %s.%s", name, rel.Release, x.Recv, x.Name)
					}
					methods++
				}
			}
		}
		if name == spec.DefaultModule && (len(m.rels) < 15 || methods < 200) {
			t.Errorf("only %d methods in %d releases", methods, len(m.rels))
		}
	})
}

// TestOnlyEach generates a package for one of four bound functions of each module alone, in the newest release; in a sweep, for each, in
// the first that has it too. What the function needs comes along, and the package compiles.
func TestOnlyEach(t *testing.T) {
	eachModule(t, func(name string, m module) {
		if !sweep() {
			m.rels = m.rels[len(m.rels)-1:]
		}
		before := map[string]bool{}
		for i, rel := range m.rels {
			for n, c := range bound(t, rel, m.Spec) {
				if i < len(m.rels)-1 && before[c] || !sampled(n, 4) {
					continue
				}
				before[c] = true
				_, pkg, err := Run(rel, m.Spec, Options{Package: "p", Only: []string{c}, Foreign: true})
				if err != nil {
					t.Errorf("%s %s: --only %s: %v", name, rel.Release, c, err)
					continue
				}
				for _, o := range pkg.Objects {
					if o.Destroy == nil {
						t.Errorf("%s %s: --only %s: nothing closes a %s", name, rel.Release, c, o.Go)
					}
				}
			}
		}
		if name == spec.DefaultModule && len(before) < 25 {
			t.Errorf("only %d functions", len(before))
		}
	})
}

// bound lists the functions of a release that the pages bind.
func bound(t *testing.T, rel *api.Release, sp *spec.Spec) (names []string) {
	t.Helper()
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range pkg.Verbs {
		names = append(names, v.C)
	}
	return names
}

// TestMadeWith binds the functions of the header from the last to the first: what an object was made with is in a record that a
// verb which makes it
// takes, and never in one of a verb that changes or asks it, whichever comes first.
func TestMadeWith(t *testing.T) {
	sp, rel := pages(t), newest(t)
	for _, way := range []string{"in order", "from the last"} {
		pkg, err := bind.Bind(rel, sp, bind.Options{Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for _, o := range pkg.Objects {
			if o.Made == nil {
				continue
			}
			looked++
			if !slices.ContainsFunc(pkg.Verbs, func(v *model.Verb) bool {
				return v.Creates == o && slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Taken() == o.Made })
			}) {
				t.Errorf("%s: %s is made with no %s", way, o.Go, o.Made.Go)
			}
		}
		if looked == 0 {
			t.Errorf("%s: no rule looks at what an object was made with", way)
		}
		slices.Reverse(rel.Functions)
	}
}

// TestWithoutEach leaves one function out of the newest release, as an older release does: what comes out names nothing that
// only comes with it, or generate says what is wrong. Without a sweep, it is one function of sixteen.
func TestWithoutEach(t *testing.T) {
	sp, rel := pages(t), newest(t)
	for i, c := range bound(t, rel, sp) {
		if !sampled(i, 16) && c != "ibv_get_device_index" {
			continue
		}
		older := *rel
		older.Functions = slices.DeleteFunc(slices.Clone(rel.Functions), func(f api.Function) bool { return f.Name == c })
		files, pkg, err := Run(&older, sp, Options{Package: "p"})
		if err == nil {
			_, err = compiles(files, pkg, sp)
		} else if c != "ibv_get_device_index" {
			continue
		}
		if err != nil {
			t.Errorf("without %s: %v", c, err)
		}
	}
}
