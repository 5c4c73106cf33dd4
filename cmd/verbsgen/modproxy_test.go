package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// served is the project as the file proxy of the tests has it.
var served = gomod.Version{Path: "github.com/verbsgen/verbsgen", Version: "v0.1.0"}

// cmdModproxy gives the script a new and empty module cache, and file proxies to fill it from: one has this project as
// it is in the work tree, at the version v0.1.0, the other what the module cache of this machine has. The go command
// then works as it does for a user who has not set anything.
func cmdModproxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: modproxy")
	}
	fillModuleCache(ts)
	proxy := ts.MkAbs(".proxy") // the go command looks into no folder whose name begins with a dot
	ts.Check(writeProxy(proxy, ts.Getenv("REPO")))
	ts.Setenv("GOPROXY", fileURL(proxy)+","+fileURL(filepath.Join(ts.Getenv("GOMODCACHE"), "cache", "download")))
	ts.Setenv("GOMODCACHE", ts.MkAbs(".modcache"))
	// Without paths in what is compiled, the build cache serves the modules of the new cache too.
	ts.Setenv("GOFLAGS", "-modcacherw -trimpath")
}

// fillModuleCache has the go command download into the module cache of this machine what it lacks for a module that
// has this project as a tool. That is more than this project needs itself: go mod tidy asks for the tests of what the
// tool imports.
func fillModuleCache(ts *testscript.TestScript) {
	dir := ts.MkAbs(".fill")
	ts.Check(os.MkdirAll(dir, 0o777))
	root := ts.Getenv("REPO")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	ts.Check(err)
	for name, text := range map[string]string{
		"go.mod": "module fill\n\ngo 1.26.0\n\nrequire " + served.Path + " v0.0.0\n\nreplace " + served.Path + " => " + strconv.Quote(root) +
			"\n\ntool " + served.Path + "/cmd/verbsgen\n",
		"go.sum":  string(sums),
		"fill.go": "package fill\n\nimport _ \"" + served.Path + "/gen/verbs\"\n",
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir = dir
	if out, err := tidy.CombinedOutput(); err != nil {
		ts.Logf("go mod tidy: %v\n%s", err, out) // the script will say what it lacks
	}
}

// fileURL is an absolute path as a URL.
func fileURL(path string) string { return "file://" + filepath.ToSlash(path) }

// writeProxy writes the files that a module proxy serves for the project at root. See https://go.dev/ref/mod#goproxy-protocol.
func writeProxy(dir, root string) error {
	at := filepath.Join(dir, filepath.FromSlash(served.Path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	var packed strings.Builder
	if err := zip.CreateFromDir(&packed, served, root); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list":                   served.Version + "\n",
		served.Version + ".info": `{"Version": "` + served.Version + `"}`,
		served.Version + ".mod":  string(mod),
		served.Version + ".zip":  packed.String(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
