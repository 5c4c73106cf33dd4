//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// kernels are what can be booted: the name that a person gives, and the Debian suite that carries it.
var kernels = []struct{ name, suite string }{
	{"6.1", "bookworm"},
	{"6.12", "trixie"},
	{"7.2", "sid"},
}

func kernelNames() []string {
	var out []string
	for _, k := range kernels {
		out = append(out, k.name)
	}
	return out
}

// Files of an image.
const (
	fileKernel   = "vmlinuz"
	fileModules  = "modules.cpio.gz"
	fileManifest = "manifest.json"
)

// image is a kernel that can be booted: a folder with the kernel and its modules.
type image struct {
	dir     string
	release string // "6.1.0-50-amd64"
}

// manifest is in the folder of an image that is whole.
type manifest struct {
	Release string `json:"release"`
}

// cacheFolder returns the folder that images are kept in.
func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep kernels in: %w", err)
	}
	dir := filepath.Join(base, "verbsgen", "vm")
	return dir, os.MkdirAll(dir, 0o755)
}

// kernelImage returns the image of a known kernel: the kept one, or a new one.
func kernelImage(ctx context.Context, cache, name, mirror string, say *progress) (*image, error) {
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("the guest uses the programs of this machine, and there is a kernel for amd64 only; this is %s", runtime.GOARCH)
	}
	unlock, err := lock(ctx, filepath.Join(cache, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()
	dir := filepath.Join(cache, name+"-"+moduleHash())
	img, err := openImage(dir)
	if err == nil {
		return img, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		say.line("the kept kernel is not used: %v", err)
	}
	if err := buildImage(ctx, dir, name, mirror, say); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return openImage(dir)
}

// lock keeps other runs out until unlock.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- unix.Flock(int(f.Fd()), unix.LOCK_EX) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err() // the process ends, and the wait with it
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// openImage opens a kept image.
func openImage(dir string) (*image, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileManifest))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, fileManifest), err)
	}
	return &image{dir: dir, release: m.Release}, nil
}

// buildImage makes an image out of the packages that the suite carries today. The packages are thrown away.
func buildImage(ctx context.Context, dir, name, mirror string, say *progress) error {
	if err := needPackages(ctx, buildPackages, say); err != nil {
		return err
	}
	if mirror == "" {
		var err error
		if mirror, err = machineMirror(ctx); err != nil {
			return err
		}
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	tree, err := fetchKernel(ctx, work, name, mirror, say)
	if err != nil {
		return err
	}
	made := filepath.Join(work, "image")
	if err := os.Mkdir(made, 0o755); err != nil {
		return err
	}
	var m manifest
	if m.Release, err = fillImage(ctx, made, tree, say); err != nil {
		return err
	}
	if !strings.HasPrefix(m.Release, name+".") && !strings.HasPrefix(m.Release, name+"-") {
		return fmt.Errorf("suite %s has moved on to kernel %s", suiteOf(name), m.Release)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(made, fileManifest), text, 0o644); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(filepath.Dir(dir), name+"-*")) // this one, and those with other modules
	if err != nil {
		return err
	}
	for _, o := range old {
		if err := os.RemoveAll(o); err != nil {
			return err
		}
	}
	return os.Rename(made, dir)
}

func suiteOf(name string) string {
	for _, k := range kernels {
		if k.name == name {
			return k.suite
		}
	}
	return ""
}

// fetchKernel downloads and unpacks the packages of a kernel.
func fetchKernel(ctx context.Context, work, name, mirror string, say *progress) (tree string, err error) {
	say.line("kernel %s: looking into suite %s", name, suiteOf(name))
	apt, err := newApt(ctx, filepath.Join(work, "apt"), suiteOf(name), mirror)
	if err != nil {
		return "", err
	}
	names, err := apt.kernelPackages(ctx)
	if err != nil {
		return "", err
	}
	say.line("kernel %s: downloading %s", name, strings.Join(names, " "))
	files, err := apt.download(ctx, names)
	if err != nil {
		return "", err
	}
	tree = filepath.Join(work, "tree")
	for _, f := range files {
		if _, err := output(ctx, "", "dpkg-deb", "-x", f, tree); err != nil {
			return "", err
		}
	}
	return tree, nil
}
