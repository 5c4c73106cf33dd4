//go:build linux && cgo

package oncard

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// importAsInGuide and shareAsInGuide are the Go of docs/guide/sharing.md.

func shareAsInGuide(dev *verbs.Device, pd *verbs.PD, buf []byte) error {
	mr, err := pd.RegMR(buf, verbs.MRAccessLocalWrite|verbs.MRAccessRemoteWrite)
	if err != nil {
		return err
	}
	command, err := syscall.Dup(dev.CmdFD()) // an os.File closes its descriptor, and this one is the device's
	if err != nil {
		return err
	}
	child := exec.Command("./child")
	child.ExtraFiles = []*os.File{os.NewFile(uintptr(command), "uverbs")}
	child.Stdin = strings.NewReader(fmt.Sprint(pd.Handle(), mr.Handle(), mr.IOVA()))
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	return errors.Join(child.Run(), mr.Close())
}

func importAsInGuide(lib *verbs.Lib) error {
	var domain, region uint32
	var iova uint64
	if _, err := fmt.Scan(&domain, &region, &iova); err != nil {
		return err
	}
	shared, err := lib.ImportDevice(3)
	if err != nil {
		return err
	}
	defer shared.CloseAll()
	pd, err := shared.ImportPD(domain)
	if err != nil {
		return err
	}
	mr, err := pd.ImportMR(region)
	if err != nil {
		return err
	}
	if err := mr.Locate(iova, mr.Length()); err != nil {
		return err
	}
	e, err := endpoint.New(shared, endpoint.Config{PD: pd}) // its requests take mr.SGE(offset, length)
	if err != nil {
		return err
	}
	fmt.Println("imported a region of", mr.Length(), "bytes")
	return e.Close()
}

// TestSharingGuide runs the Go of docs/guide/sharing.md in two processes.
func TestSharingGuide(t *testing.T) {
	page := string(must(os.ReadFile("../../../docs/guide/sharing.md"))(t))
	source := string(must(os.ReadFile("sharingguide_test.go"))(t))
	pieces := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	for _, piece := range pieces {
		indented := regexp.MustCompile("(?m)^(.)").ReplaceAllString(piece[1], "\t$1")
		if !strings.Contains(source, ") error {\n"+indented+"}\n") {
			t.Errorf("this file lacks the Go of the page:\n%s", piece[1])
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' '-test.run=^TestRole$'\n", must(os.Executable())(t))
	dir := t.TempDir()
	must(0, os.WriteFile(filepath.Join(dir, "child"), []byte(script), 0o755))(t)
	t.Chdir(dir)
	t.Setenv(role, "guide")
	dev := open(t, card.Devices[0])
	if err := shareAsInGuide(dev, must(dev.AllocPD())(t), make([]byte, 4096)); err != nil || len(pieces) != 2 {
		t.Errorf("%d pieces: %v", len(pieces), err)
	}
}
