//go:build linux

package card

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed src
var source embed.FS

// Devices are the names of the devices without Options.
var Devices = []string{"mlx5_0", "mlx5_1"}

// Options say what to build.
type Options struct {
	Providers []string // of each device: "mlx5"; without any, two of mlx5
	Libraries string   // the folder that has the providers' libraries, if libibverbs does not find them
	Compiled  string   // a file that has the compiled card, or that it is written to if it is not there
}

// Card is a compiled card.
type Card struct {
	library, tree, drivers, wire string
	providers                    []string
}

// Build compiles the card in a folder and makes the tree of its devices there. It needs gcc and the headers of libibverbs-dev and
// linux-libc-dev; make setup installs them.
func Build(dir string, o Options) (*Card, error) {
	if len(o.Providers) == 0 {
		o.Providers = []string{"mlx5", "mlx5"}
	}
	library := cmp.Or(o.Compiled, filepath.Join(dir, "card.so"))
	if _, err := os.Stat(library); o.Compiled == "" || err != nil {
		if err := compile(filepath.Join(dir, "src"), library); err != nil {
			return nil, err
		}
	}
	c := &Card{library, filepath.Join(dir, "sys"), filepath.Join(dir, "drivers"), dir, o.Providers}
	return c, firstError(makeTree(c.tree, o.Providers), makeDrivers(c.drivers, o))
}

// compile makes the library of the sources, which it unpacks into a folder.
func compile(src, library string) error {
	files, err := unpack(src)
	if err != nil {
		return err
	}
	// Tests wait for it: -O2 -g takes twice as long.
	args := append([]string{"-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-fvisibility=hidden", "-shared",
		"-I", src, "-o", library + ".new"}, files...)
	said, err := exec.Command("gcc", append(args, "-ldl", "-lpthread")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("compile the card (it needs gcc, libibverbs-dev and linux-libc-dev; make setup installs them): %w\n%s", err, said)
	}
	return os.Rename(library+".new", library)
}

// makeDrivers makes the folder by which libibverbs finds the providers of the devices, and no others.
func makeDrivers(dir string, o Options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(o.Providers))) {
		library := name
		if o.Libraries != "" {
			library = filepath.Join(o.Libraries, "lib"+name)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".driver"), []byte("driver "+library+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Environ returns environ with what puts the card below a program. All programs on the card reach each other, unless environ has CARD_WIRE,
// the folder in which programs find each other.
func (c *Card) Environ(environ []string) []string {
	own := []string{
		"SYSFS_PATH=" + c.tree, "LD_PRELOAD=" + c.library, "CARD_DEVICES=" + strings.Join(c.providers, ","), "CARD_DRIVERS=" + c.drivers,
	}
	if !slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, "CARD_WIRE=") }) {
		own = append(own, "CARD_WIRE="+c.wire)
	}
	var out []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			out = append(out, e)
		}
	}
	return append(out, own...)
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
