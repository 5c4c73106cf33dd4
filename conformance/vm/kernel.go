//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// kernels are what can be booted.
var kernels = []string{"6.1", "6.12", "7.2"}

// modules are what the guest needs that Debian's kernel has not built in. Those with a question mark exist in some kernels only.
var modules = []string{
	"virtio_pci", "9p", "9pnet_virtio", "overlay", // the root
	"veth", "crc32_generic?", "rdma_rxe", "ib_uverbs", // the devices
	"rdma_ucm", // connections
}

// Files of an image.
const (
	fileKernel  = "vmlinuz"
	fileModules = "modules.cpio.gz"
	fileRelease = "release"
)

// image is a kernel that can be booted: a folder with the kernel and its modules.
type image struct {
	dir     string
	release string // "6.1.0-50-amd64"
}

//go:embed kernel.sh
var kernelScript string

//go:embed init.sh
var initScript []byte

// cacheFolder returns the folder that images are kept in.
func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to keep kernels in: %w", err)
	}
	dir := filepath.Join(base, "verbsgen", "vm")
	return dir, os.MkdirAll(dir, 0o755)
}

// kernelImage returns the image of a known kernel: the kept one, or a new one. The name of its folder has a hash, as with other modules it
// is another image.
func kernelImage(ctx context.Context, cache, name, mirror string, say *progress) (*image, error) {
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("the guest uses the programs of this machine, and there is a kernel for amd64 only; this is %s", runtime.GOARCH)
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s-%.4x", name, sha256.Sum256([]byte(kernelScript+strings.Join(modules, "\n")))))
	if img, err := openImage(dir); err == nil {
		return img, nil
	}
	if err := needPackages(ctx, buildPackages, say); err != nil {
		return nil, err
	}
	fetch, err := fetchScript(ctx)
	if err != nil {
		return nil, err
	}
	if mirror != "" {
		os.Setenv("VERBSGEN_MIRROR", mirror)
	}
	say.line("kernel %s: downloading it, and taking its modules", name)
	if _, err := output(ctx, "", "bash", slices.Concat([]string{"-c", kernelScript, "kernel.sh", fetch, dir, name}, modules)...); err != nil {
		return nil, fmt.Errorf("kernel %s: %w", name, err)
	}
	return openImage(dir)
}

// openImage opens an image, which is whole where it has a release.
func openImage(dir string) (*image, error) {
	text, err := os.ReadFile(filepath.Join(dir, fileRelease))
	return &image{dir: dir, release: strings.TrimSpace(string(text))}, err
}

// packInitrd packs an init and this machine's busybox, and after them the modules of an image: the kernel takes several archives in a row.
const packInitrd = `set -e
mkdir "$1" && cd "$1"
mkdir bin dev proc sys ro rw mnt
cp "$(command -v busybox)" bin/busybox
ln -s busybox bin/sh
cat >init
chmod 755 init
find . | busybox cpio -o -H newc
cat "$2"
`

// writeInitrd writes an initrd to a path, beside which it makes the folder that goes into it.
func writeInitrd(path string, img *image, init []byte) error {
	cmd := exec.Command("sh", "-c", packInitrd, "initrd", path+".d", filepath.Join(img.dir, fileModules))
	cmd.Stdin = bytes.NewReader(init)
	packed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("the initrd: %w", err)
	}
	return os.WriteFile(path, packed, 0o644)
}
