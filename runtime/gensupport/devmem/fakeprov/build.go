package fakeprov

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is a kind of provider.
type Kind struct {
	File    string   // name of the shared object, as the real one has it
	sources []string // beside provider.c
	exports string   // version script
	defines []string
}

// callbacks defines what a provider sets its callbacks to.
func callbacks(to, from string) []string { return []string{"FAKE_TO=" + to, "FAKE_FROM=" + from} }

var (
	both  = callbacks("fake_to_dm", "fake_from_dm")
	stale = callbacks("set_callbacks", "set_callbacks") // where an earlier use of the memory left addresses of code

	// MLX5 maps its device memory and reports where: mlx5dv_init_obj in versions MLX5_1.0 and MLX5_1.2.
	MLX5 = Kind{"libmlx5.so.1", []string{"words.c", "mlx5dv.c"}, "mlx5.map", both}
	// MLX5Old has mlx5dv_init_obj in version MLX5_1.0 alone.
	MLX5Old = Kind{"libmlx5.so.1", []string{"words.c", "mlx5dv.c"}, "mlx5_old.map", slices.Concat(both, []string{"FAKE_ONLY_1_0"})}
	// MLX5SWICM makes memory that the processor cannot reach: callbacks and mapping are NULL.
	MLX5SWICM = Kind{"libmlx5.so.1", []string{"words.c", "mlx5dv.c"}, "mlx5.map", append(callbacks("0", "0"), "FAKE_ICM")}
	// MLX5Silent has callbacks but does not say where the memory is mapped.
	MLX5Silent = Kind{"libmlx5.so.1", []string{"words.c", "mlx5dv.c"}, "mlx5.map", slices.Concat(both, []string{"FAKE_ICM"})}
	// MANA leaves the callbacks as malloc gave them.
	MANA = Kind{"libmana.so.1", []string{"bytes.c", "manadv.c"}, "mana.map", nil}
	// MANARenamed is MANA under another name, and with addresses of its own code in the callbacks.
	MANARenamed = Kind{"libother.so.1", []string{"bytes.c", "manadv.c"}, "mana.map", stale}
	// MANABare is MANA with such addresses and without the exported functions that give it away.
	MANABare = Kind{"libmana-rdmav34.so", []string{"bytes.c"}, "plain.map", stale}
	// Garbage is a provider of no known name that leaves the callbacks as malloc gave them.
	Garbage = Kind{"libgarbage.so", []string{"bytes.c"}, "plain.map", nil}
	// Elsewhere has a read callback that lies in another object.
	Elsewhere = Kind{"libelsewhere.so", []string{"bytes.c"}, "plain.map", callbacks("fake_to_dm", "getenv")}
	// Data has callbacks that point to its data.
	Data = Kind{"libdata.so", []string{"bytes.c"}, "plain.map", callbacks("&fake_calls[0]", "&fake_calls[1]")}
	// WriteOnly has no read callback.
	WriteOnly = Kind{"libwriteonly.so", []string{"bytes.c"}, "plain.map", callbacks("fake_to_dm", "0")}
	// Words copies by the rules of mlx5 and does not report where the memory is mapped.
	Words = Kind{"libwords.so", []string{"words.c"}, "plain.map", both}
	// Bytes has no rule of alignment.
	Bytes = Kind{"libbytes.so", []string{"bytes.c"}, "plain.map", both}
)

//go:embed src
var sources embed.FS

// Build compiles a provider into dir and gives the path of the shared object. count makes the provider count the calls of
// its copy callbacks (Calls); benchmarks go without. The compiler is $CC or gcc. Loops are aligned because it decides by up to a
// factor of two how fast the copy loop of a few instructions is, and a benchmark should meet it at its best.
func Build(dir string, k Kind, count bool) (string, error) {
	src := filepath.Join(dir, "src")
	if err := unpack(src); err != nil {
		return "", fmt.Errorf("fake provider %s: %w", k.File, err)
	}
	abi, err := abiFolder()
	if err != nil {
		return "", fmt.Errorf("fake provider %s: %w", k.File, err)
	}
	out := filepath.Join(dir, k.File)
	args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-falign-loops=32", "-fPIC", "-fvisibility=hidden", "-shared",
		"-Wl,-z,defs", "-Wl,-soname," + k.File, "-Wl,--version-script=" + filepath.Join(src, k.exports),
		"-I" + abi, "-o", out, filepath.Join(src, "provider.c")}
	for _, s := range k.sources {
		args = append(args, filepath.Join(src, s))
	}
	for _, d := range k.defines {
		args = append(args, "-D"+d)
	}
	if count {
		args = append(args, "-DFAKE_COUNT")
	}
	cc := strings.Fields(os.Getenv("CC"))
	if len(cc) == 0 {
		cc = []string{"gcc"}
	}
	msg, err := exec.Command(cc[0], append(cc[1:], args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("fake provider %s: %s: %w\n%s", k.File, cc[0], err, msg)
	}
	return out, nil
}

// unpack writes the embedded sources to dir.
func unpack(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return fs.WalkDir(sources, "src", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := sources.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, e.Name()), text, 0o644)
	})
}

// abiFolder finds the folder with the C declarations of the ABI, from the folder that a test of this module runs in.
func abiFolder() (string, error) {
	const folder = "runtime/gensupport"
	wd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := wd; ; at = filepath.Dir(at) {
		found := filepath.Join(at, folder)
		if _, err := os.Stat(filepath.Join(found, "verbs_abi.h")); err == nil {
			return found, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no %s in %s or above it; run in this module", folder, wd)
		}
	}
}
