//go:build unix

package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRead reads each kind of file that there is: a pipe without a writer and an endless device come to an end too.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("small"), []byte("12345678"), 0o666), os.WriteFile(at("large"), []byte("123456789"), 0o666),
		syscall.Mkfifo(at("pipe"), 0o666), os.Symlink("small", at("link")), os.Symlink("pipe", at("link2")),
		os.Symlink("/dev/zero", at("zero")), os.Mkdir(at("sub"), 0o777),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"small": "", "link": "", "large": "it is larger than 8 bytes", "pipe": "it is a named pipe, and only regular files are read",
		"link2": "it is a named pipe", "zero": "it is a device", "sub": "is a directory", "absent": "no such file",
	} {
		data, err := Read(at(name), 8)
		viaFS, ferr := ReadFS(DirFS(dir), name, 8)
		switch {
		case want == "":
			if err != nil || string(data) != "12345678" || ferr != nil || string(viaFS) != "12345678" {
				t.Errorf("%s: %q, %v; %q, %v", name, data, err, viaFS, ferr)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%s: error %v, want %q", name, err, want)
		case ferr == nil || !strings.Contains(ferr.Error(), want):
			t.Errorf("%s through DirFS: error %v, want %q", name, ferr, want)
		}
	}
	if entries, err := fs.ReadDir(DirFS(dir), "."); err != nil || len(entries) != 7 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
	if _, err := DirFS(dir).Open("../x"); err == nil {
		t.Error("a path that leads out is opened")
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{8: "8 bytes", 4 << 20: "4 MiB", 3 << 10: "3 KiB", 1<<20 + 1: "1048577 bytes"} {
		if got := size(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
