//go:build linux

package card

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed src
var source embed.FS

// Devices are the names of the devices.
var Devices = []string{"mlx5_0", "mlx5_1"}

// Card is a compiled card.
type Card struct {
	library, tree string
}

// Build compiles the card in a folder and makes the tree of its devices there. It needs gcc and the headers of libibverbs-dev and
// linux-libc-dev; make setup installs them.
func Build(dir string) (*Card, error) {
	c := &Card{filepath.Join(dir, "card.so"), filepath.Join(dir, "sys")}
	src := filepath.Join(dir, "src")
	files, err := unpack(src)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-fvisibility=hidden", "-shared",
		"-I", src, "-o", c.library}, files...)
	said, err := exec.Command("gcc", append(args, "-ldl", "-lpthread")...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("compile the card (it needs gcc, libibverbs-dev and linux-libc-dev; make setup installs them): %w\n%s", err, said)
	}
	return c, makeTree(c.tree)
}

// Environ returns environ with what puts the card below a program.
func (c *Card) Environ(environ []string) []string {
	var out []string
	for _, e := range environ {
		if !strings.HasPrefix(e, "SYSFS_PATH=") && !strings.HasPrefix(e, "LD_PRELOAD=") {
			out = append(out, e)
		}
	}
	return append(out, "SYSFS_PATH="+c.tree, "LD_PRELOAD="+c.library)
}

// unpack writes the source to a folder and returns the names of the C files.
func unpack(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(source, "src", func(path string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, strings.TrimPrefix(path, "src"))
		if err != nil || d.IsDir() {
			return firstError(err, os.MkdirAll(to, 0o755))
		}
		if strings.HasSuffix(path, ".c") {
			files = append(files, to)
		}
		data, err := source.ReadFile(path)
		return firstError(err, os.WriteFile(to, data, 0o644))
	})
	return files, err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
