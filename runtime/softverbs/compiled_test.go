//go:build linux && cgo

package softverbs_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// compiler is the C compiler.
func compiler() string { return cmp.Or(os.Getenv("CC"), "cc") }

// compiled has the C compiler make a program of the C sources of this package and one more, and returns the folder that it is in. That is
// in the user's cache folder, where a later run finds it unless a source, the flags or the compiler changed.
func compiled(t *testing.T, more string, flags ...string) string {
	t.Helper()
	cc := compiler()
	sources, err := filepath.Glob("*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no C sources: %v", err)
	}
	sources = append(sources, more)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "verbsgen", "softverbs", keyOf(t, cc, flags, sources))
	if now := time.Now(); os.Chtimes(dir, now, now) == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "new")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(cc, append(flags, "-D_GNU_SOURCE", "-I"+here)...)
	cmd.Dir = work
	for _, name := range sources {
		cmd.Args = append(cmd.Args, filepath.Join(here, name))
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	if err := os.Rename(work, dir); err != nil && !errors.Is(err, fs.ErrExist) { // another run may have made it
		t.Fatal(err)
	}
	forget(t, filepath.Dir(dir))
	return dir
}

// keyOf is a name for all that decides what the compiler makes, but for the headers of the C library.
func keyOf(t *testing.T, cc string, flags, sources []string) string {
	t.Helper()
	version, err := exec.Command(cc, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%s\n%q\n", cc, version, flags)
	for _, pattern := range []string{"*.h", "shared/src/*", "../gensupport/*.h"} {
		headers, err := filepath.Glob(pattern)
		if err != nil || len(headers) == 0 {
			t.Fatalf("no headers: %v", err)
		}
		sources = append(sources, headers...)
	}
	for _, name := range sources {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// forget removes what no run has used for a month.
func forget(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 30*24*time.Hour {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}
