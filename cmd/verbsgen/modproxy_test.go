package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"
	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// library is the path of the module that generated code imports.
const library = "github.com/verbsgen/verbsgen"

// served are the modules of this repository that the file proxy of the tests has, by their folders.
var served = map[string]string{".": library, "spec": library + "/spec", "cmd/verbsgen": library + "/cmd/verbsgen"}

// cmdModproxy gives the script a new and empty module cache, and file proxies to fill it from: one has this project as
// it is in the work tree, at the version that its modules require of each other, the other what the module cache of this machine has. The
// go command then works as it does for a user who has not set anything. The variable VERSION names the version.
func cmdModproxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: modproxy")
	}
	version := requiredVersion(ts)
	ts.Setenv("VERSION", version)
	fillModuleCache(ts, version)
	proxy := ts.MkAbs(".proxy") // the go command looks into no folder whose name begins with a dot
	for dir, path := range served {
		ts.Check(writeProxy(proxy, filepath.Join(ts.Getenv("REPO"), dir), gomod.Version{Path: path, Version: version}))
	}
	ts.Setenv("GOPROXY", fileURL(proxy)+","+fileURL(filepath.Join(ts.Getenv("GOMODCACHE"), "cache", "download")))
	ts.Setenv("GOMODCACHE", ts.MkAbs(".modcache"))
	// Without paths in what is compiled, the build cache serves the modules of the new cache too.
	ts.Setenv("GOFLAGS", "-modcacherw -trimpath")
}

// requiredVersion is the version of the library that the command requires.
func requiredVersion(ts *testscript.TestScript) string {
	file := filepath.Join(ts.Getenv("REPO"), "cmd", "verbsgen", "go.mod")
	data, err := os.ReadFile(file)
	ts.Check(err)
	mod, err := modfile.Parse(file, data, nil)
	ts.Check(err)
	for _, r := range mod.Require {
		if r.Mod.Path == library {
			return r.Mod.Version
		}
	}
	ts.Fatalf("%s does not require %s", file, library)
	return ""
}

// fillModuleCache has the go command download into the module cache of this machine what it lacks for a module that
// has this project as a tool. That is more than this project needs itself: go mod tidy asks for the tests of what the
// tool imports.
func fillModuleCache(ts *testscript.TestScript, version string) {
	dir := ts.MkAbs(".fill")
	ts.Check(os.MkdirAll(dir, 0o777))
	root := ts.Getenv("REPO")
	sums, err := os.ReadFile(filepath.Join(root, "cmd", "verbsgen", "go.sum"))
	ts.Check(err)
	mod := "module fill\n\ngo 1.26.0\n\ntool " + library + "/cmd/verbsgen\n\n"
	for at, path := range served {
		mod += "require " + path + " " + version + "\n\nreplace " + path + " => " + strconv.Quote(filepath.Join(root, at)) + "\n\n"
	}
	for name, text := range map[string]string{
		"go.mod":  mod,
		"go.sum":  string(sums),
		"fill.go": "package fill\n\nimport _ \"" + library + "/gen/verbs\"\n",
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

// writeProxy writes the files that a module proxy serves for the module at root. See https://go.dev/ref/mod#goproxy-protocol.
func writeProxy(dir, root string, m gomod.Version) error {
	at := filepath.Join(dir, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	var packed strings.Builder
	if err := zip.CreateFromDir(&packed, m, root); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list":              m.Version + "\n",
		m.Version + ".info": `{"Version": "` + m.Version + `"}`,
		m.Version + ".mod":  string(mod),
		m.Version + ".zip":  packed.String(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}
