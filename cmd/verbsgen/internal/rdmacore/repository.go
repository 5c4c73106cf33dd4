package rdmacore

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// repository is a git repository that may come from anybody: its configuration could name commands that git runs, such as that of a
// remote from which missing objects are fetched. So git reads its objects and refs with a configuration of ours.
type repository struct {
	dir    string // of the work tree, which has the HEAD
	common string // the folder that all work trees share
	format string // of the names of objects: "sha1"
}

// openRepository finds the repository of a folder. Git reads its configuration here, and looks at no object.
func openRepository(dir string) (*repository, error) {
	out, err := git("-C", dir, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-object-format")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 3 {
		return nil, gitError("rev-parse says " + string(out))
	}
	r := &repository{dir: lines[0], common: lines[1], format: lines[2]}
	if !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	r.common, err = filepath.Abs(r.common)
	return r, err
}

// linked are the parts of a repository that say where its refs and commits are.
var linked = []string{"refs", "packed-refs", "reftable", "shallow"}

// maxHead is more than a HEAD has.
const maxHead = 1 << 12

// git runs a command on the objects and refs of the repository.
func (r *repository) git(args ...string) ([]byte, error) {
	own, err := os.MkdirTemp("", "verbsgen-git-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(own)
	config := "[core]\n\tbare = true\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	for _, name := range linked {
		if _, err := os.Lstat(filepath.Join(r.common, name)); err != nil {
			continue
		}
		if err := os.Symlink(filepath.Join(r.common, name), filepath.Join(own, name)); err != nil {
			return nil, err
		}
		if name == "reftable" {
			config += "\trefStorage = reftable\n"
		}
	}
	head, err := regular.Read(filepath.Join(r.dir, "HEAD"), maxHead)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(own, "HEAD"), head, 0o666); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(own, "config"), []byte(config), 0o666); err != nil {
		return nil, err
	}
	return run([]string{"GIT_DIR=" + own, "GIT_OBJECT_DIRECTORY=" + filepath.Join(r.common, "objects")}, args...)
}

func git(args ...string) ([]byte, error) { return run(nil, args...) }

// gitError is the first line of what git said.
type gitError string

func (e gitError) Error() string { return string(e) }

// run returns what a command of git writes. It reads no configuration of the machine or the user, and nothing but files.
func run(env []string, args ...string) ([]byte, error) {
	var out, said bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GIT_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"LC_ALL=C", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1",
		// Of another owner: that is safe, as nothing of the repository runs.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	cmd.Env = append(cmd.Env, env...)
	if err := cmd.Run(); err != nil {
		reason, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		if reason == "" {
			return nil, err
		}
		return nil, gitError(strings.TrimSuffix(strings.TrimPrefix(reason, "fatal: "), "."))
	}
	return out.Bytes(), nil
}
