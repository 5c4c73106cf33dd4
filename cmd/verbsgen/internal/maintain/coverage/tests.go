package coverage

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/regular"
)

var ruleID = regexp.MustCompile(`\bVR-[a-z0-9_]+-[a-z0-9_.]+-[0-9]{4}\b`)

// maxTest is the size of the largest test that is read.
const maxTest = 16 << 20

// Undefined looks into the Go tests below a folder for IDs of rules that no page of any module defines, or that are retired. The
// error is a diag.List.
func Undefined(dir string, sp *spec.Spec) error {
	var errs diag.List
	modules := sync.OnceValue(embedded)
	err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(at, "_test.go") {
			return err
		}
		data, err := regular.Read(at, maxTest)
		if err != nil {
			return err
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, m := range ruleID.FindAllIndex(line, -1) {
				id := string(line[m[0]:m[1]])
				if d, ok := undefined(id, sp, modules); ok {
					d.File, d.Line, d.Col = at, i+1, m[0]+1
					errs.Add(d)
				}
			}
		}
		return nil
	})
	if err != nil {
		errs.Add(diag.New(diag.InputRead, dir, 0, 0, "--tests", "cannot be read: "+diag.Reason(err), "name a folder of Go tests"))
	}
	return errs.Err()
}

// undefined describes an ID that is tested and not defined; ok is false for one that is. The other modules are asked last.
func undefined(id string, sp *spec.Spec, modules func() []*spec.Spec) (d diag.Diag, ok bool) {
	r := sp.RuleByID(id)
	if r == nil {
		for _, m := range modules() {
			if r = m.RuleByID(id); r != nil {
				break
			}
		}
	}
	switch {
	case r == nil:
		return diag.New(diag.RuleUndefined, "", 0, 0, id, "a test names this rule, but no page defines it",
			"define it, or correct the test"), true
	case r.Retired:
		return diag.New(diag.RuleUndefined, "", 0, 0, id, "a test names this rule, but it is retired", "remove it from the test"), true
	}
	return d, false
}

// embedded returns the project's own pages of all modules.
func embedded() (all []*spec.Spec) {
	for _, name := range spec.Modules() {
		if s, err := spec.Embedded(name); err == nil {
			all = append(all, s)
		}
	}
	return all
}
