//go:build cgo

package dl

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A process has one libibverbs, so every case runs in its own: the test binary again, with openList set. It opens the
// paths one after the other and prints a line for each.
const openList = "VERBSGEN_DL_TEST_OPEN"

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestMain(m *testing.M) {
	if list := os.Getenv(openList); list != "" {
		openAll(strings.Split(list, ":"))
		return
	}
	os.Exit(m.Run())
}

func openAll(paths []string) {
	var first *Library
	for _, path := range paths {
		if path == "default" {
			path = ""
		}
		l, err := Open(path)
		if err != nil {
			fmt.Printf("unsupported=%t absent=%t %v\n",
				errors.Is(err, errors.ErrUnsupported), errors.Is(err, fs.ErrNotExist), err)
			continue
		}
		if first == nil {
			first = l
		}
		old, now := l.Symbol(verbs.Probe, "FAKE_1.0"), l.Symbol(verbs.Probe, "FAKE_1.1")
		fmt.Printf("%s release=%q same=%t versions=%t,%t default=%t absent=%t,%t\n", l, l.Release(), l == first,
			old != 0 && now != 0, old != now, now == l.Symbol(verbs.Probe, ""),
			l.Symbol(verbs.Probe, "FAKE_1.2") == 0, l.Symbol("ibv_no_such_verb", "") == 0)
	}
}

// run opens the paths in a process of its own and gives what it printed.
func run(t *testing.T, libPath string, paths ...string) string {
	t.Helper()
	exe, err := os.Executable()
	check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // a process that hangs has failed
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), openList+"="+strings.Join(paths, ":"), "LD_LIBRARY_PATH="+libPath,
		"GORACE=atexit_sleep_ms=0") // or every process of a -race run ends a second late
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// build makes a shared library of C text.
func build(t *testing.T, file, text string, args ...string) string {
	t.Helper()
	cc, err := exec.Command("go", "env", "CC").Output()
	check(t, err)
	src := filepath.Join(t.TempDir(), "lib.c")
	write(t, src, text)
	args = append([]string{"-shared", "-fPIC", "-o", file, src}, args...)
	if out, err := exec.Command(strings.TrimSpace(string(cc)), args...).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", file, err, out)
	}
	return file
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	check(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// fake makes a library with two versions of the probe, as libibverbs has twins of some functions.
func fake(t *testing.T, file string) string {
	t.Helper()
	vers := write(t, filepath.Join(t.TempDir(), "fake.map"),
		"FAKE_1.0 { global: ibv_get_device_list; local: *; };\nFAKE_1.1 { global: ibv_get_device_list; } FAKE_1.0;\n")
	return build(t, file, `
void *list_old(int *n) { *n = 0; return n; }
void *list_new(int *n) { *n = 1; return n; }
__asm__(".symver list_old, ibv_get_device_list@FAKE_1.0");
__asm__(".symver list_new, ibv_get_device_list@@FAKE_1.1");
`, "-Wl,-soname,"+DefaultName, "-Wl,--version-script,"+vers)
}

const fine = "same=true versions=true,true default=true absent=true,true"

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	full := fake(t, filepath.Join(dir, "libibverbs.so.1.14.44.0"))
	link := filepath.Join(dir, DefaultName)
	check(t, os.Symlink(full, link))
	other := fake(t, filepath.Join(t.TempDir(), DefaultName))
	refused := fmt.Sprintf("unsupported=false absent=false load %s: this process has loaded another libibverbs, %s, "+
		"and what depends on it works with that one only; use one libibverbs in a process", other, link)
	foreign := build(t, filepath.Join(dir, "libother.so.1"), "int other;")
	noVerbs := "unsupported=false absent=false load %s: it is a shared library, but not libibverbs: it has no function " +
		"ibv_get_device_list; give the path of " + DefaultName
	tests := []struct {
		name  string
		paths []string
		want  []string
	}{
		{"a library of another kind", []string{link, foreign, "libother.so.1"}, []string{
			link + ` (rdma-core 44.0) release="44.0" ` + fine, fmt.Sprintf(noVerbs, foreign), fmt.Sprintf(noVerbs, "libother.so.1")}},
		{"default twice", []string{"default", "default"}, []string{
			link + ` (rdma-core 44.0) release="44.0" ` + fine, link + ` (rdma-core 44.0) release="44.0" ` + fine}},
		{"three names of one file", []string{link, full, "default", DefaultName}, []string{
			link + ` (rdma-core 44.0) release="44.0" ` + fine, link + ` (rdma-core 44.0) release="44.0" ` + fine,
			link + ` (rdma-core 44.0) release="44.0" ` + fine, link + ` (rdma-core 44.0) release="44.0" ` + fine}},
		{"no release in the name", []string{other}, []string{other + ` release="" ` + fine}},
		{"another one", []string{link, other, link}, []string{
			link + ` (rdma-core 44.0) release="44.0" ` + fine, refused, link + ` (rdma-core 44.0) release="44.0" ` + fine}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, want := run(t, dir, tt.paths...), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// patched copies an ELF file with two bytes of its header changed.
func patched(t *testing.T, from, to string, offset int, value uint16) string {
	t.Helper()
	b, err := os.ReadFile(from)
	check(t, err)
	binary.NativeEndian.PutUint16(b[offset:], value)
	return write(t, to, string(b))
}

// needsNewer makes a library in dir that was linked against a newer libold.so than is there.
func needsNewer(t *testing.T, dir string) string {
	t.Helper()
	old, vers := filepath.Join(dir, "libold.so"), filepath.Join(dir, "old.map")
	script := "-Wl,--version-script," + vers
	write(t, vers, "OLD_1 { global: h; };\nOLD_2 { global: g; local: *; } OLD_1;\n")
	build(t, old, "int h(void) { return 0; } int g(void) { return 0; }", "-Wl,-soname,libold.so", script)
	needs := build(t, filepath.Join(dir, "newer.so"), "int g(void); int f(void) { return g(); }", old, "-Wl,-rpath,"+dir)
	write(t, vers, "OLD_1 { global: h; local: *; };\n")
	build(t, old, "int h(void) { return 0; }", "-Wl,-soname,libold.so", script)
	return needs
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	good := fake(t, in("good.so"))
	b, err := os.ReadFile(good)
	check(t, err)
	noVerbs := build(t, in("noverbs.so"), "int f(void) { return 0; }", "-Wl,-soname,"+DefaultName)
	check(t, errors.Join(os.Mkdir(in("found"), 0o755), os.Symlink(good, in("found/"+DefaultName))))
	using := build(t, in("libuser.so.1"), "void *ibv_get_device_list(int *); void *f(int *n) { return ibv_get_device_list(n); }",
		good, "-Wl,-rpath,"+in("found"))
	needed := build(t, in("libneeded.so"), "int g(void) { return 0; }", "-Wl,-soname,libgone.so.7")
	needs := build(t, in("needs.so"), "int g(void); int f(void) { return g(); }", needed)
	newer := needsNewer(t, dir)
	const where = "install it (Debian, Ubuntu: libibverbs1 and ibverbs-providers; Fedora, RHEL: libibverbs) or give its path"
	const soName = "give the path of libibverbs.so.1"
	tests := []struct{ name, path, flags, want string }{
		{"absent name", "libibverbs-none.so.1", "unsupported=true absent=true", "not found; " + where},
		{"absent path", in("none.so"), "unsupported=true absent=true", "no such file; " + where},
		{"folder", dir, "", "it is not a regular file; " + soName},
		{"pipe", pipe(t, in("pipe.so")), "", "it is not a regular file; " + soName},
		{"device", os.DevNull, "", "it is not a regular file; " + soName},
		{"empty", write(t, in("empty.so"), ""), "", "it is not a shared library (no ELF file); " + soName},
		{"text", write(t, in("text.so"), "GROUP ( libc.so )\n"), "", "it is not a shared library (no ELF file); " + soName},
		{"truncated", write(t, in("short.so"), string(b[:20])), "", "it is a damaged ELF file: EOF; install it again"},
		{"other machine", patched(t, good, in("alpha.so"), 18, uint16(elf.EM_ALPHA)), "",
			"it is a library for another machine (EM_ALPHA, ELFCLASS64); give the path of one for " + goarch(t)},
		{"program", patched(t, good, in("rel.so"), 16, uint16(elf.ET_REL)), "", "it is not a shared library (ET_REL); " + soName},
		{"other library", noVerbs, "", "it is a shared library, but not libibverbs: it has no function ibv_get_device_list; " + soName},
		{"library that uses the right one", using, "",
			"it is a shared library, but not libibverbs: it has no function ibv_get_device_list; " + soName},
		{"dependency gone", needs, "", "the loader says: libgone.so.7: cannot open shared object file: " +
			"No such file or directory; install the library that it needs"},
		{"dependency too old", newer, "", "the loader says: " + in("libold.so") + ": version `OLD_2' not found (required by " + newer +
			"); it was built for newer libraries than this system has: give the path of one built for it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.flags == "" {
				tt.flags = "unsupported=false absent=false"
			}
			// After the failure the right library still opens.
			want := tt.flags + " load " + tt.path + ": " + tt.want + "\n" + good + ` release="" ` + fine
			if got := run(t, "", tt.path, good); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// pipe makes a named pipe that nobody writes to: a plain open of it waits forever.
func pipe(t *testing.T, path string) string {
	t.Helper()
	check(t, syscall.Mkfifo(path, 0o600))
	return path
}

func goarch(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOARCH").Output()
	check(t, err)
	return strings.TrimSpace(string(out))
}

func TestOddNames(t *testing.T) {
	_, err := Open("lib\x00ibverbs.so")
	if want := `load "lib\x00ibverbs.so": the name holds a NUL character; give the path of libibverbs.so.1`; err == nil ||
		err.Error() != want {
		t.Errorf("Open = %v, want %s", err, want)
	}
	var none *Library
	if none.Symbol(verbs.Probe, "") != 0 {
		t.Error("a nil library has symbols")
	}
}

// TestStatic builds this test as a static program, which must refuse to load anything.
func TestStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	exe := filepath.Join(t.TempDir(), "static.test")
	out, err := exec.Command("go", "test", "-c", "-o", exe, "-ldflags=-extldflags=-static", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no static program can be linked here: %s", out)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), openList+"=default")
	out, err = cmd.CombinedOutput()
	const want = "unsupported=true absent=false load libibverbs.so.1: this program is linked statically, and a library " +
		"loaded into it would keep an errno of its own; link it dynamically (without -static)\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n got %swant %s", err, out, want)
	}
}

// TestSystem loads the libibverbs of this machine, where there is one, also after the name of another library was given for it.
func TestSystem(t *testing.T) {
	got := run(t, "", "default")
	if strings.HasPrefix(got, "unsupported=true absent=true ") {
		t.Skip("no libibverbs is installed: " + got)
	}
	if !strings.Contains(got, DefaultName) || !strings.Contains(got, "same=true") || !strings.Contains(got, `release="`) {
		t.Errorf("the libibverbs of the system: %s", got)
	}
	other, again, _ := strings.Cut(run(t, "", "librdmacm.so.1", "default"), "\n") // librdmacm needs libibverbs
	if strings.HasPrefix(other, "unsupported=true absent=true ") {
		t.Skip("no librdmacm is installed: " + other)
	}
	if !strings.Contains(other, "but not libibverbs") || again != got {
		t.Errorf("librdmacm as libibverbs: %s\nand then: %s", other, again)
	}
	_, other, _ = strings.Cut(run(t, "", "default", "librdmacm.so.1"), "\n")
	if !strings.Contains(other, "but not libibverbs") {
		t.Errorf("librdmacm after libibverbs: %s", other)
	}
}

// TestFloor looks functions up in a library without one that every supported release has, and without a newer one.
func TestFloor(t *testing.T) {
	l, err := Module{Name: "libm.so.6", Probe: "cos"}.Open("")
	check(t, err)
	newer := []Symbol{{Name: "cos", Floor: true}, {Name: "ibv_new", Since: "44.0"}}
	fn := make([]uintptr, 3)
	if _, err := Lookup(l, newer, fn); err != nil || fn[0] == 0 || fn[1] != 0 {
		t.Errorf("without a newer function: %v, %v", err, fn)
	}
	_, err = Lookup(l, append(newer, Symbol{Name: "ibv_old", Floor: true}), fn)
	const want = " has no ibv_old, which every release has that this package supports; load a newer or complete library"
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), l.String()+want) {
		t.Errorf("without a function of all releases: %v", err)
	}
}
