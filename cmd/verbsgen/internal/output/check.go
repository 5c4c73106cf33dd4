package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// Report is what Check found.
type Report struct {
	// Diff is a unified diff from what is on disk to what generate would write, for files on both sides.
	Diff string
	// Stale names each file that differs, is missing or is left over; nil when the folder is up to date.
	Stale diag.List
}

// Check compares a folder with the files that generate would write there, and writes nothing. The error is about
// what cannot be read or is in the way, as for [Write].
func Check(dir string, files []File) (Report, error) {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) { // a folder that is missing has none of the files
		unlock, err := lock(dir, false)
		if err != nil {
			return Report{}, err
		}
		defer unlock()
	}
	now, err := survey(dir, files)
	if err != nil {
		return Report{}, err
	}
	var r Report
	if now.cutOff {
		r.stale(filepath.ToSlash(filepath.Join(dir, unfinished)), 0,
			"a run of generate was cut off: some files are new, others are old", "run `verbsgen generate` with the same flags to mend it")
	}
	if now.staged {
		r.stale(filepath.ToSlash(filepath.Join(dir, staging)), 0, "is left over from a run of generate that was cut off",
			"run `verbsgen generate` with the same flags to remove it")
	}
	var diff strings.Builder
	if len(now.old) == 0 && len(files) > 0 {
		r.stale(filepath.ToSlash(dir), 0, "has none of the generated files", "run `verbsgen generate` with the same flags, or correct -o")
		files = nil
	}
	for _, f := range files {
		at := filepath.ToSlash(filepath.Join(dir, f.Name))
		old, ok := now.old[f.Name]
		switch {
		case !ok:
			r.stale(at, 0, "is missing", "run `verbsgen generate` with the same flags to write it")
		case !bytes.Equal(old, f.Data):
			r.stale(at, firstDifference(old, f.Data), "differs from what generate writes",
				"run `verbsgen generate` with the same flags")
			diff.WriteString(udiff.Unified(at, at+" (generated)", string(old), string(f.Data)))
		}
	}
	for _, name := range now.leftovers {
		if isKept(now.leftover[name]) {
			continue
		}
		at := filepath.ToSlash(filepath.Join(dir, name))
		r.stale(at, 0, "is left over: no longer generated", "run `verbsgen generate` with the same flags to remove it")
	}
	r.Diff = diff.String()
	return r, nil
}

// stale notes one file that is out of date.
func (r *Report) stale(at string, line int, problem, fix string) {
	r.Stale.Add(diag.New(diag.OutputStale, at, line, 0, "output", problem, fix))
}

// firstDifference returns the first line, counted from 1, in which the texts differ.
func firstDifference(a, b []byte) int {
	n := 1
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return n
		}
		if a[i] == '\n' {
			n++
		}
	}
	return n
}

// Summary reports in a few words what Write did: "4 files written, 2 unchanged, 1 removed (old.gen.go)".
func (r Result) Summary() string {
	files := "files"
	if r.Written == 1 {
		files = "file"
	}
	s := fmt.Sprintf("%d %s written, %d unchanged", r.Written, files, r.Same)
	if len(r.Removed) > 0 {
		s += fmt.Sprintf(", %d removed (%s)", len(r.Removed), strings.Join(r.Removed, ", "))
	}
	return s
}
