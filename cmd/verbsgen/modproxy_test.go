package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"
	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// library is the path of the module that generated code imports.
const library = "github.com/verbsgen/verbsgen"

// served are the modules of this repository that the file proxy of the tests has, by their folders.
var served = map[string]string{".": library, "spec": library + "/spec", "cmd/verbsgen": library + "/cmd/verbsgen"}

// moduleProxy is what scripts that get this project with go get have of it, made once for all of them.
type moduleProxy struct {
	dir, root string
	env       []string // before any script ran: the script command run changes that of the process
	make      func() (moduleCache, error)
	unlock    func()
}

// moduleCache is a module cache without this project, whose version is required.
type moduleCache struct{ dir, version string }

func newModuleProxy(t *testing.T, root string) *moduleProxy {
	p := &moduleProxy{dir: t.TempDir(), root: root, env: os.Environ(), unlock: func() {}}
	p.make = sync.OnceValues(p.fill)
	t.Cleanup(func() { p.unlock() })
	return p
}

// command gives the script a module cache without this project, and file proxies to fill it from: one has this project as
// it is in the work tree, at the version that its modules require of each other, the other what the module cache of this machine has. The
// go command then works as it does for a user who has not set anything. The variable VERSION names the version.
func (p *moduleProxy) command(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: modproxy")
	}
	cache, err := p.make()
	ts.Check(err)
	ts.Setenv("VERSION", cache.version)
	ts.Setenv("GOPROXY", fileURL(p.dir)+","+fileURL(filepath.Join(ts.Getenv("GOMODCACHE"), "cache", "download")))
	ts.Setenv("GOMODCACHE", cache.dir)
	ts.Setenv("GOFLAGS", "-modcacherw -trimpath")
	ts.Setenv("GODEBUG", "goindex=0") // the go command's index of a module cache knows files by the version, and ours change
}

// fill writes the proxy of this project, and empties the module cache of it. The folder of the module cache is the same in every run, so
// that the build cache has what was compiled from it: `go tool` ignores -trimpath. A run waits for another one that uses the folder.
func (p *moduleProxy) fill() (c moduleCache, err error) {
	if c.version, err = requiredVersion(p.root); err != nil {
		return c, err
	}
	if err = p.fillModuleCache(c.version); err != nil {
		return c, err
	}
	for dir, path := range served {
		if err := writeProxy(p.dir, filepath.Join(p.root, dir), gomod.Version{Path: path, Version: c.version}); err != nil {
			return c, err
		}
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return c, err
	}
	c.dir = filepath.Join(folder, "verbsgen", "modules")
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return c, err
	}
	if p.unlock, err = lockedfile.MutexAt(c.dir + ".lock").Lock(); err != nil {
		return c, err
	}
	own := filepath.Dir(filepath.FromSlash(library))
	return c, errors.Join(os.RemoveAll(filepath.Join(c.dir, own)), os.RemoveAll(filepath.Join(c.dir, "cache", "download", own)))
}

// requiredVersion is the version of the library that the command requires.
func requiredVersion(root string) (string, error) {
	file := filepath.Join(root, "cmd", "verbsgen", "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return "", err
	}
	for _, r := range mod.Require {
		if r.Mod.Path == library {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s", file, library)
}

// fillModuleCache has the go command download into the module cache of this machine what it lacks for a module that
// has this project as a tool. That is more than this project needs itself: go mod tidy asks for the tests of what the
// tool imports.
func (p *moduleProxy) fillModuleCache(version string) error {
	dir, err := os.MkdirTemp("", "verbsgen-fill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sums, err := os.ReadFile(filepath.Join(p.root, "cmd", "verbsgen", "go.sum"))
	if err != nil {
		return err
	}
	mod := "module fill\n\ngo 1.26.0\n\ntool " + library + "/cmd/verbsgen\n\n"
	for at, path := range served {
		mod += "require " + path + " " + version + "\n\nreplace " + path + " => " + strconv.Quote(filepath.Join(p.root, at)) + "\n\n"
	}
	for name, text := range map[string]string{
		"go.mod":  mod,
		"go.sum":  string(sums),
		"fill.go": "package fill\n\nimport _ \"" + library + "/gen/verbs\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	tidy := exec.Command("go", "mod", "tidy")
	tidy.Dir, tidy.Env = dir, p.env
	if out, err := tidy.CombinedOutput(); err != nil {
		return fmt.Errorf("go mod tidy: %w\n%s", err, out)
	}
	return nil
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
