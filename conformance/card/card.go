//go:build linux

package card

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/softcm/kernel"
	"github.com/verbsgen/verbsgen/runtime/softverbs/shared"
)

//go:embed src
var source embed.FS

// Devices are the names of the devices without Options.
var Devices = []string{"mlx5_0", "mlx5_1"}

// Options say what to build.
type Options struct {
	// Devices lists the devices, each by its provider, "mlx5" or "efa". A device of mlx5 has options behind colons: a model (cx4, cx4lx, cx5,
	// cx6, cx6dx, cx7); vf for a virtual function; ib for an InfiniBand port; gids=1.-.0.5 for the table indexes of its four GIDs, of
	// which - leaves one out; and net=NAME for the network interface that has its addresses, for programs that look for one in /sys: nothing
	// is done to the interface. The default is two devices of mlx5.
	Devices []string

	Libraries string // the folder that has the providers' libraries, if libibverbs does not find them

	// Log, unless nil, is called before the card is compiled, which takes some seconds the first time.
	Log func(message string) `json:"-"`
}

// Card is a compiled card with devices.
type Card struct {
	library, dir string
	devices      []device
}

// Build makes the devices of a card in a folder, or finds them there: programs on the card of one folder reach each other. It compiles the
// card if the user's cache lacks it, for which it needs gcc and the headers of libibverbs-dev and linux-libc-dev.
func Build(dir string, o Options) (*Card, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, ": ") { // LD_PRELOAD and CARD_DRIVERS
		return nil, fmt.Errorf("%s: the path of a card has no space and no colon", dir)
	}
	log := o.Log
	if o, err = place(dir, o); err != nil {
		return nil, err
	}
	devices, err := parse(o.Devices)
	if err != nil {
		return nil, err
	}
	library, err := cached(dir, log)
	return &Card{library, dir, devices}, err
}

// Open returns the card of a folder, which Build made there.
func Open(dir string) (*Card, error) {
	if _, err := os.Stat(filepath.Join(dir, "devices", optionsName)); err != nil {
		return nil, fmt.Errorf("%s has no card: rdmacard run --dir makes one (%w)", dir, err)
	}
	return Build(dir, Options{})
}

// place makes the folders of the devices, or looks at those that are there, and returns what they were made with.
func place(dir string, o Options) (Options, error) {
	made := filepath.Join(dir, "devices")
	if text, err := os.ReadFile(filepath.Join(made, optionsName)); err == nil {
		var have Options
		if err := json.Unmarshal(text, &have); err != nil {
			return o, fmt.Errorf("%s/%s: %w", made, optionsName, err)
		}
		if o.Devices != nil && !slices.Equal(o.Devices, have.Devices) || o.Libraries != "" && o.Libraries != have.Libraries {
			return o, fmt.Errorf("%s has a card with other devices (%s): ask for those, or name another folder", dir,
				strings.TrimSpace(string(text)))
		}
		return have, nil
	}
	if o.Devices == nil {
		o.Devices = []string{"mlx5", "mlx5"}
	}
	devices, err := parse(o.Devices)
	if err != nil {
		return o, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return o, err
	}
	unfinished, err := os.MkdirTemp(dir, "new")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(unfinished)
	text, err := json.Marshal(o)
	if err != nil {
		return o, err
	}
	err = cmp.Or(os.Chmod(unfinished, 0o755), makeTree(filepath.Join(unfinished, "sys"), devices),
		makeDrivers(filepath.Join(unfinished, "drivers"), devices, o.Libraries),
		os.WriteFile(filepath.Join(unfinished, faultsName), make([]byte, faultsSize), 0o644),
		os.WriteFile(filepath.Join(unfinished, optionsName), append(text, '\n'), 0o644))
	if err != nil {
		return o, err
	}
	if err := os.Rename(unfinished, made); err != nil {
		if _, there := os.Stat(made); there == nil {
			return place(dir, o) // another process was quicker
		}
		return o, err
	}
	return o, nil
}

const optionsName = "options.json"

// flags are those of the compiler. Tests wait for it: -O2 -g takes twice as long. The sources of softcm and softverbs want the declarations
// of libibverbs before them.
var flags = []string{"-std=gnu11", "-D_GNU_SOURCE", "-include", "infiniband/verbs.h", "-O1", "-Wall", "-Wextra",
	"-Wno-missing-field-initializers", "-fms-extensions", "-Werror", "-fPIC", "-fvisibility=hidden", "-shared"}

// cached returns the compiled card, which is kept in the user's cache by the hash of its sources. Without a cache it is below dir.
func cached(dir string, log func(string)) (string, error) {
	if cache, err := os.UserCacheDir(); err == nil && !strings.ContainsAny(cache, ": ") {
		to := filepath.Join(cache, "rdmacard")
		if err := os.MkdirAll(to, 0o755); err == nil {
			dir = to
		}
	}
	hash := sha256.New()
	fmt.Fprintln(hash, flags)
	err := eachSource(func(path string, text []byte) error {
		_, err := fmt.Fprintf(hash, "%s %d\n%s", path, len(text), text)
		return err
	})
	if err != nil {
		return "", err
	}
	library := filepath.Join(dir, fmt.Sprintf("card-%x.so", hash.Sum(nil)[:8]))
	if _, err := os.Stat(library); err == nil {
		return library, nil
	}
	if log != nil {
		log("compiling the card, once for this version")
	}
	work, err := os.MkdirTemp(dir, "compile")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	return library, cmp.Or(compile(filepath.Join(work, "src"), filepath.Join(work, "card.so")),
		os.Rename(filepath.Join(work, "card.so"), library))
}

// compile makes the library of the sources, which it unpacks into a folder. A file all.c includes the others of its folder.
func compile(src, library string) error {
	args := append(slices.Clone(flags), "-I", src, "-o", library)
	err := eachSource(func(path string, text []byte) error {
		to := filepath.Join(src, path)
		return cmp.Or(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	})
	if err != nil {
		return err
	}
	folders, _ := filepath.Glob(filepath.Join(src, "*"))
	for _, folder := range append(folders, src) {
		files, _ := filepath.Glob(filepath.Join(folder, "all.c"))
		if files == nil {
			files, _ = filepath.Glob(filepath.Join(folder, "*.c"))
		}
		args = append(args, files...)
	}
	if said, err := exec.Command("gcc", append(args, "-ldl", "-lpthread")...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the card: %w\n%s(it needs packages: apt-get install gcc libc6-dev libibverbs-dev linux-libc-dev)", err, said)
	}
	return nil
}

// eachSource calls f with the files of src, and with those that packages softcm and softverbs share, in folders of these names.
func eachSource(f func(path string, text []byte) error) error {
	each := func(files embed.FS, folder string) error {
		return fs.WalkDir(files, "src", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := files.ReadFile(path)
			if err != nil {
				return err
			}
			return f(folder+strings.TrimPrefix(path, "src/"), text)
		})
	}
	return cmp.Or(each(source, ""), each(kernel.Source, "softcm/"), each(shared.Source, "softverbs/"))
}

// makeDrivers makes the folder by which libibverbs finds the providers of the devices, and no others.
func makeDrivers(dir string, devices []device, libraries string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range devices { // a file may be written again
		name, library := d.provider, d.provider
		if libraries != "" {
			library = filepath.Join(libraries, "lib"+name)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".driver"), []byte("driver "+library+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Environ returns environ with the variables that Variables returns in the place of its own.
func (c *Card) Environ(environ []string) []string {
	own := c.Variables()
	var out []string
	for _, e := range environ {
		name, _, _ := strings.Cut(e, "=")
		if !slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") }) {
			out = append(out, e)
		}
	}
	return append(out, own...)
}

// Variables returns the variables that put the card below a program, as NAME=value without spaces. The folder of the card must stay.
func (c *Card) Variables() []string {
	at := filepath.Join(c.dir, "devices")
	var devices []string
	for _, d := range c.devices {
		devices = append(devices, d.numbers())
	}
	return []string{"LD_PRELOAD=" + c.library, "SYSFS_PATH=" + filepath.Join(at, "sys"), "CARD_DRIVERS=" + filepath.Join(at, "drivers"),
		"CARD_DEVICES=" + strings.Join(devices, ","), "CARD_WIRE=" + c.dir}
}
