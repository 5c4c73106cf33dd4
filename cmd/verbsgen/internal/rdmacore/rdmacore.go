// Package rdmacore reads what a release of rdma-core publishes out of its source, a git repository or a folder: the headers of libibverbs
// and of another library, the kernel's headers that they are built with, and the version of each symbol of the library.
//
// It owns the layout of rdma-core's source tree. It knows nothing of C, and keeps nothing but what it is asked for.
package rdmacore

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// Tree is the source of one release: a commit of a checkout, with or without a work tree, or a folder that its tarball was unpacked to.
type Tree struct {
	Dir    string // of the repository, or the folder
	Commit string // a tag or commit, as the user names it: messages say it. Empty for a folder

	repo *repository
	hash string // of the commit; by it the files are read
}

// Headers are what a commit publishes, in a folder.
type Headers struct {
	Release  string            // as the commit calls itself
	Version  int               // line of CMakeLists.txt that says so
	File     string            // path of the library's header
	Map      string            // file of the tree with the versions
	Versions map[string]string // symbol of the library -> its default version
}

// Library is one of rdma-core's libraries.
type Library struct {
	Folder string // of its source: "libibverbs", "providers/mlx5"
	Header string // as included: "infiniband/verbs.h"
}

// folders are those whose CMakeLists.txt names the headers, beside that of the library.
var folders = []string{"libibverbs", "kernel-headers"}

// Export writes the published headers below a folder, as below /usr/include, and reads the versions of the symbols. The
// error is a diag.List.
func (t Tree) Export(to string, lib Library) (*Headers, error) {
	if err := t.resolve(); err != nil {
		return nil, err
	}
	root, err := t.read("CMakeLists.txt")
	if err != nil {
		return nil, err
	}
	vars := variables(root)
	h := &Headers{Release: vars["PACKAGE_VERSION"], Version: lineOf(root, "PACKAGE_VERSION"),
		File: filepath.Join(to, filepath.FromSlash(lib.Header))}
	for _, folder := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(folders), lib.Folder)))) {
		text, err := t.read(folder + "/CMakeLists.txt")
		if err != nil {
			return nil, err
		}
		for _, f := range published(text) {
			cmake := folder + "/CMakeLists.txt"
			if !filepath.IsLocal(f.dest) {
				return nil, t.at(cmake, f.line, f.name, "is published into "+f.dest+", which is not a folder below that of the headers")
			}
			data, err := t.file(path.Join(folder, f.name))
			if err != nil {
				return nil, t.at(cmake, f.line, f.name, "is published, and cannot be read: "+t.named(err))
			}
			if err := store(data, filepath.Join(to, f.dest, path.Base(f.name))); err != nil {
				return nil, err
			}
		}
	}
	if _, err := os.Stat(h.File); err != nil {
		return nil, t.at(lib.Folder+"/CMakeLists.txt", 1, path.Base(lib.Header), "is not published")
	}
	h.Map = lib.Folder + "/lib" + strings.TrimPrefix(path.Base(lib.Folder), "lib") + ".map.in" // providers/mlx5 has libmlx5.map
	text, err := t.read(h.Map)
	if plain := strings.TrimSuffix(h.Map, ".in"); err != nil {
		if found, err2 := t.read(plain); err2 == nil {
			h.Map, text, err = plain, found, nil
		}
	}
	if err != nil {
		return nil, err
	}
	h.Versions = symbolVersions(text, vars)
	return h, nil
}

// Exists reports whether the repository has the commit, or the folder exists.
func (t *Tree) Exists() bool { return t.resolve() == nil }

// File returns the content of a file of the commit.
func (t *Tree) File(name string) ([]byte, error) {
	if err := t.resolve(); err != nil {
		return nil, err
	}
	return t.read(name)
}

// store writes a file.
func store(data []byte, to string) error {
	err := os.MkdirAll(filepath.Dir(to), 0o777)
	if err == nil {
		err = os.WriteFile(to, data, 0o666)
	}
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, to, 0, 0, "header", err.Error(), "choose a folder that can be written"))
	}
	return nil
}

// Place writes a file of a commit as git does: commit:path.
func (t Tree) Place(name string) string {
	if t.Commit == "" {
		return filepath.Join(t.Dir, filepath.FromSlash(name))
	}
	return t.Commit + ":" + name
}

// resolve finds the commit. From then on its hash names it, which git cannot take for an option.
func (t *Tree) resolve() error {
	if t.Commit == "" {
		_, err := os.ReadDir(t.Dir)
		return t.cannot("folder", err)
	}
	var err error
	if t.repo, err = openRepository(t.Dir); err != nil {
		return t.cannot(t.Commit, err)
	}
	out, err := t.git(t.Commit, "rev-parse", "--verify", "--end-of-options", t.Commit+"^{commit}")
	t.hash = strings.TrimSpace(string(out))
	return err
}

// read returns the content of a file of the tree.
func (t Tree) read(name string) ([]byte, error) {
	data, err := t.file(name)
	what := t.Place(name)
	if t.Commit == "" {
		what = name
	}
	return data, t.cannot(what, err)
}

// maxFile is more than a header or a CMakeLists.txt has.
const maxFile = 1 << 24

// file is read with the error as it comes. Nothing outside of a folder is read, even by a link.
func (t Tree) file(name string) ([]byte, error) {
	if t.Commit != "" {
		return t.repo.git("cat-file", "blob", t.hash+":"+name)
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() { // a named pipe would block
		return nil, errors.New("it is a " + regular.Kind(info.Mode()))
	}
	return regular.ReadFS(root.FS(), name, maxFile)
}

// git returns what a command of git writes; what says what it reads.
func (t Tree) git(what string, args ...string) ([]byte, error) {
	out, err := t.repo.git(args...)
	return out, t.cannot(what, err)
}

// cannot makes a diagnostic of an error of git.
func (t Tree) cannot(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return t.problem(what, "git is not installed")
	case t.Commit == "":
		return t.problem(what, "cannot be read: "+t.named(err))
	}
	return t.problem(what, "git cannot read it: "+t.named(err))
}

// named is an error of git in which the commit has its name, or one of a file without the path.
func (t Tree) named(err error) string {
	if t.hash == "" {
		return diag.Reason(err)
	}
	return strings.ReplaceAll(diag.Reason(err), t.hash, t.Commit)
}

// at makes a diagnostic about a line of a file of the commit.
func (t Tree) at(name string, line int, subject, problem string) error {
	return diag.One(diag.New(diag.CheckoutRead, t.Place(name), line, 1, subject, problem, t.wanted()))
}

// lineOf is the line of a text, counted from 1; 1 where it is not there.
func lineOf(data []byte, text string) int {
	return 1 + bytes.Count(data[:max(0, bytes.Index(data, []byte(text)))], []byte("\n"))
}

func (t Tree) problem(what, problem string) error {
	fix := t.wanted()
	if t.Commit != "" && t.hash == "" {
		fix += " with the tag " + t.Commit + "; fetch its tags, or unpack the tarball of the release and use --tree"
	}
	return diag.One(diag.New(diag.CheckoutRead, t.Dir, 0, 0, what, problem, fix))
}

// wanted says what the user is to name.
func (t Tree) wanted() string {
	if t.Commit == "" {
		return "--tree must name a folder with the source of rdma-core"
	}
	return "--git must name a repository of rdma-core"
}

var setRE = regexp.MustCompile(`(?m)^\s*set\((\w+)\s+"([^"]*)"\)`)

// variables are the texts that a CMakeLists.txt sets.
func variables(cmake []byte) map[string]string {
	vars := map[string]string{}
	for _, m := range setRE.FindAllSubmatch(cmake, -1) {
		vars[string(m[1])] = string(m[2])
	}
	return vars
}

// publishedFile is a header and the folder below /usr/include that it goes to.
type publishedFile struct {
	dest, name string
	line       int // of its name
}

var publishRE = regexp.MustCompile(`(?m)^\s*publish_(?:internal_)?headers\((\S+)\s([^)]*)\)`)

// published lists the headers that a CMakeLists.txt installs or takes for the build. Names are relative to its folder.
func published(cmake []byte) []publishedFile {
	var list []publishedFile
	for _, m := range publishRE.FindAllSubmatchIndex(cmake, -1) {
		line := 1 + bytes.Count(cmake[:m[4]], []byte("\n"))
		for text := range bytes.Lines(cmake[m[4]:m[5]]) {
			for _, name := range strings.Fields(string(text)) {
				list = append(list, publishedFile{string(cmake[m[2]:m[3]]), name, line})
			}
			line++
		}
	}
	return list
}

var (
	blockRE   = regexp.MustCompile(`^([\w.]+)\s*\{`)
	symbolRE  = regexp.MustCompile(`^\s*(\w+);`)
	replaceRE = regexp.MustCompile(`@(\w+)@`)
)

// symbolVersions reads the map of versions. A symbol that stands in several versions has the last one as default.
func symbolVersions(text []byte, vars map[string]string) map[string]string {
	versions := map[string]string{}
	text = replaceRE.ReplaceAllFunc(text, func(m []byte) []byte { return []byte(vars[string(bytes.Trim(m, "@"))]) })
	block, local := "", false
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		line := s.Text()
		switch {
		case blockRE.MatchString(line):
			block, local = blockRE.FindStringSubmatch(line)[1], false
		case strings.Contains(line, "local:"):
			local = true
		case strings.Contains(line, "global:"):
			local = false
		case !local && symbolRE.MatchString(line):
			versions[symbolRE.FindStringSubmatch(line)[1]] = block
		}
	}
	return versions
}

// Own takes the folder that Export wrote to out of the places of diagnostics: what is wrong stands in the commit.
func (t Tree) Own(err error, to string) error {
	list := diag.From(err)
	for i := range list {
		if rel, ok := strings.CutPrefix(list[i].File, to+string(filepath.Separator)); ok {
			list[i].File = t.Place(filepath.ToSlash(rel))
		}
	}
	return list.Err()
}
