package reach

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"
)

// mapped maps two pages.
func mapped(t *testing.T, fd, prot, flags int) uintptr {
	t.Helper()
	b, err := syscall.Mmap(fd, 0, 2*os.Getpagesize(), prot, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return uintptr(unsafe.Pointer(&b[0]))
}

func TestWritable(t *testing.T) {
	const both = syscall.PROT_READ | syscall.PROT_WRITE
	page := uintptr(os.Getpagesize())
	plain := mapped(t, -1, both, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	readOnly := mapped(t, -1, syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	nothing := mapped(t, -1, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	file, err := os.Create(filepath.Join(t.TempDir(), "page"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(int64(page)); err != nil {
		t.Fatal(err)
	}
	short := mapped(t, int(file.Fd()), both, syscall.MAP_SHARED)
	gone := mapped(t, -1, both, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, gone+page, page, 0); errno != 0 {
		t.Fatal(errno)
	}
	if _, _, errno := syscall.Syscall6(syscall.SYS_MMAP, gone+page, page, syscall.PROT_NONE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_FIXED, ^uintptr(0), 0); errno != 0 { // nobody else maps it meanwhile
		t.Fatal(errno)
	}
	for _, c := range []struct {
		name   string
		addr   uintptr
		length uint64
		want   bool
	}{
		{"memory", plain, 2 * uint64(page), true},
		{"part of it", plain + page - 1, 2, true},
		{"nothing of it", nothing, 0, true},
		{"memory to read", readOnly, 1, false},
		{"memory without rights", nothing + 5, 1, false},
		{"a file", short, uint64(page), true},
		{"behind a file", short + page, 1, false},
		{"across its end", short, uint64(page) + 1, false},
		{"half of it is gone", gone + page - 1, 2, false},
		{"the other half", gone, uint64(page), true},
		{"the first page", 8, 8, false},
	} {
		if got := Writable(c.addr, c.length); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestTableCovers(t *testing.T) {
	table := filepath.Join(t.TempDir(), "maps")
	text := "1000-2000 r--p 00000000 00:00 0\n2000-3000 rw-p 00000000 00:00 0 [heap]\n" +
		"3000-5000 rw-s 00000000 00:00 0\n6000-7000 rw-p 00000000 00:00 0\n"
	if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		need, end uint64
		want      bool
	}{{0x2000, 0x5000, true}, {0x2fff, 0x3001, true}, {0x1fff, 0x2001, false}, {0x4fff, 0x6001, false},
		{0x6000, 0x7001, false}, {0x9000, 0x9001, false}} {
		if got := tableCovers(table, c.need, c.end); got != c.want {
			t.Errorf("%#x to %#x: %v", c.need, c.end, got)
		}
	}
	if !tableCovers(table+".none", 1, 2) {
		t.Error("without a table")
	}
}
