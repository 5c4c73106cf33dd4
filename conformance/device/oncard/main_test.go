//go:build linux && cgo

package oncard

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// built names the folder of the card that this process runs on, and owner the process that removes it: children run on it too.
const built, owner = "VERBSGEN_CARD", "VERBSGEN_CARD_OWNER"

// TestMain builds the card and runs the tests on it: the process starts again, with the card below it.
func TestMain(m *testing.M) {
	dir := os.Getenv(built)
	if dir == "" {
		fmt.Fprintln(os.Stderr, again())
		os.Exit(1)
	}
	code := m.Run()
	if os.Getenv(owner) == strconv.Itoa(os.Getpid()) {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// again runs this program on a new card. It returns only an error.
func again() error {
	dir, err := os.MkdirTemp("", "card")
	if err != nil {
		return err
	}
	c, err := card.Build(dir, card.Options{})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, append(c.Environ(os.Environ()), built+"="+dir, owner+"="+strconv.Itoa(os.Getpid())))
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// open opens a device of the real library. The test's end closes it.
func open(t testing.TB, name string) *verbs.Device {
	t.Helper()
	dev := must(must(verbs.Load())(t).OpenDevice(name))(t)
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	return dev
}

// mapped returns the file that the process has a library of this name from.
func mapped(t *testing.T, pattern string) string {
	t.Helper()
	for _, path := range must(filepath.Glob("/proc/self/map_files/*"))(t) {
		file, err := os.Readlink(path)
		if ok, _ := filepath.Match(pattern, filepath.Base(file)); err == nil && ok {
			return file
		}
	}
	return ""
}
