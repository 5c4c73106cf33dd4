//go:build linux && cgo

package softverbs_test

import (
	"debug/elf"
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An object is what a compiled C file defines for other files and uses of them: functions and variables.
type object struct {
	file          string
	layer         int
	defines, uses []string
}

// objects compiles the C files, so that what macros and inline functions use counts too, and returns them in the order of layers.
func objects(t *testing.T) []object {
	var all []object
	for i, l := range layers {
		for _, c := range l.files {
			all = append(all, object{file: c, layer: i})
		}
	}
	dir := compiled(t, "", "-c", "-O0")
	for i := range all {
		o := &all[i]
		name := filepath.Join(dir, strings.TrimSuffix(o.file, ".c")+".o")
		f, err := elf.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, s := range symbols {
			switch {
			case elf.ST_BIND(s.Info) == elf.STB_LOCAL:
			case s.Section == elf.SHN_UNDEF:
				o.uses = append(o.uses, s.Name)
			default:
				o.defines = append(o.defines, s.Name)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// upward returns the uses of what a later file defines. There are no circles of files without them.
func upward(all []object) error {
	definer := map[string]int{}
	for i, o := range all {
		for _, name := range o.defines {
			definer[name] = i
		}
	}
	var errs []error
	for i, o := range all {
		for _, name := range o.uses {
			if at, ok := definer[name]; ok && at > i {
				errs = append(errs, errors.New(o.file+" uses "+name+" of "+all[at].file+", which comes after it"))
			}
		}
	}
	return errors.Join(errs...)
}

// TestFilesCallDown: a file uses functions and variables only of files before it, which the headers of their layers declare.
func TestFilesCallDown(t *testing.T) {
	all := objects(t)
	if err := upward(all); err != nil {
		t.Error(err)
	}
	declaredInPlace(t, all)
	usedElsewhere(t, all)
}

func TestUpwardIsNoticed(t *testing.T) {
	low := object{file: "low.c", defines: []string{"svb_low"}, uses: []string{"memcpy"}}
	high := object{file: "high.c", defines: []string{"svb_high"}, uses: []string{"svb_low"}}
	if err := upward([]object{low, high}); err != nil {
		t.Errorf("a call downwards: %v", err)
	}
	low.uses = append(low.uses, "svb_high")
	if err := upward([]object{low, high}); err == nil || err.Error() != "low.c uses svb_high of high.c, which comes after it" {
		t.Errorf("a call upwards: %v", err)
	}
}

func declaredInPlace(t *testing.T, all []object) {
	owner := owners(t)
	for _, o := range all {
		for _, name := range o.defines {
			if h := layers[o.layer].header; owner[name] != h {
				t.Errorf("%s defines %s, which %q declares and not %s, the header of its layer", o.file, name, owner[name], h)
			}
		}
	}
}

// usedElsewhere reports what is declared for other files and Go and used by none of them: it is static, or dead.
func usedElsewhere(t *testing.T, all []object) {
	used := map[string]bool{}
	for _, o := range all {
		for _, name := range o.uses {
			used[name] = true
		}
	}
	callers, err := filepath.Glob("*_cgo.go")
	if err != nil || len(callers) == 0 {
		t.Fatalf("no Go files that call C: %v", err)
	}
	for _, name := range callers {
		for _, m := range regexp.MustCompile(`\bC\.(svb_\w+)`).FindAllStringSubmatch(source(t, name), -1) {
			used[m[1]] = true
		}
	}
	for _, o := range all {
		for _, name := range o.defines {
			if !used[name] {
				t.Errorf("%s defines %s for others, and none of them uses it", o.file, name)
			}
		}
	}
}
