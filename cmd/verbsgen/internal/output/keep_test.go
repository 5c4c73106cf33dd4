package output

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestWriteKeeping has go generate find every file that it listed, and the compiler none that is no longer generated.
func TestWriteKeeping(t *testing.T) {
	dir := t.TempDir()
	one := File{"a.gen.go", []byte(Banner + "\n\npackage rdma\n")}
	two := File{"b.gen.go", []byte(Banner + "\n\npackage rdma\n\nconst B = 1\n")}
	header := File{"c.gen.h", []byte(Banner + "\n")}
	if _, err := WriteKeeping(dir, []File{one, two, header}); err != nil {
		t.Fatal(err)
	}
	res, err := WriteKeeping(dir, []File{one})
	if err != nil || res.Written != 0 || !slices.Equal(res.Removed, []string{"b.gen.go", "c.gen.h"}) {
		t.Fatalf("%+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "c.gen.h")); err == nil {
		t.Error("c.gen.h, which go generate does not read, is there")
	}
	pkg, err := build.ImportDir(dir, 0)
	if err != nil || !slices.Equal(pkg.GoFiles, []string{"a.gen.go"}) || !slices.Equal(pkg.IgnoredGoFiles, []string{"b.gen.go"}) {
		t.Fatalf("%+v, %v", pkg, err)
	}
	if r, err := Check(dir, []File{one}); err != nil || r.Stale != nil {
		t.Errorf("%v, %v", r.Stale, err)
	}
	if res, err = WriteKeeping(dir, []File{one}); err != nil || !slices.Equal(res.Removed, []string{"b.gen.go"}) {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b.gen.go")); err == nil {
		t.Error("b.gen.go is still there")
	}
}
