package facts

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Header says what to compile.
type Header struct {
	CC      string   // the compiler: "gcc", "aarch64-linux-gnu-gcc"
	Include string   // folder of -I; empty for the compiler's own
	Name    string   // as included: "infiniband/verbs.h"
	Own     []string // the files that are a part of it, as included; nil: all of its folder
}

// probe is one C file that includes the header, in a folder of its own.
type probe struct {
	Header
	dir  string
	root string // folder that the header was found in
}

// newProbe writes the C file. The folder is the caller's to remove.
func newProbe(h Header, dir string) (*probe, error) {
	p := &probe{Header: h, dir: dir}
	if err := p.write("probe.c", "#include <"+h.Name+">\n"); err != nil {
		return nil, err
	}
	deps, err := p.run("-M", "probe.c")
	if err != nil {
		return nil, err
	}
	for _, file := range strings.Fields(string(deps)) {
		if root, ok := strings.CutSuffix(filepath.ToSlash(file), "/"+h.Name); ok {
			p.root = root
			return p, nil
		}
	}
	return nil, fmt.Errorf("%s does not say where it found %s", h.CC, h.Name)
}

func (p *probe) write(name, text string) error {
	return os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644)
}

// run calls the compiler and gives what it prints.
func (p *probe) run(args ...string) ([]byte, error) {
	if p.Include != "" {
		args = append([]string{"-I", p.Include}, args...)
	}
	cmd := exec.Command(p.CC, args...)
	cmd.Dir = p.dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", p.CC, strings.Join(args, " "), err, errs.Bytes())
	}
	return out.Bytes(), nil
}

// compile makes an object file with debug information of all types, used or not; extra goes before the file.
func (p *probe) compile(file string, extra ...string) (string, error) {
	object := strings.TrimSuffix(file, ".c") + ".o"
	args := append(extra, "-std=gnu11", "-g", "-fno-eliminate-unused-debug-types", "-fno-eliminate-unused-debug-symbols",
		"-c", file, "-o", object)
	_, err := p.run(args...)
	return filepath.Join(p.dir, object), err
}

// own reports whether a file is a part of the header.
func (p *probe) own(file string) bool {
	if p.Own != nil {
		return slices.Contains(p.Own, p.included(file))
	}
	return filepath.ToSlash(filepath.Dir(file)) == filepath.ToSlash(filepath.Dir(filepath.Join(p.root, p.Name)))
}

// included is the name of a file as included.
func (p *probe) included(file string) string {
	return strings.TrimPrefix(filepath.ToSlash(file), p.root+"/")
}
