//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// modules are what the guest needs that Debian's kernel has not built in. Those with a question mark exist in some kernels only.
var modules = []string{
	"virtio_pci", "9p", "9pnet_virtio", "overlay", // the root
	"veth", "crc32_generic?", "rdma_rxe", "ib_uverbs", // the devices
	"rdma_ucm", // connections
}

//go:embed init.sh
var initScript []byte

// moduleHash is part of the name of a kept image: with other modules it is another image.
func moduleHash() string {
	sum := sha256.Sum256([]byte(strings.Join(modules, "\n")))
	return hex.EncodeToString(sum[:4])
}

// fillImage takes the kernel and the modules out of the unpacked packages, and gives the kernel's release.
func fillImage(ctx context.Context, made, tree string, say *progress) (release string, err error) {
	lib := filepath.Join(tree, "lib")
	if _, err := os.Stat(lib); err != nil { // newer packages use usr/lib alone, but kmod looks for lib
		if err := os.Symlink("usr/lib", lib); err != nil {
			return "", err
		}
	}
	dirs, err := filepath.Glob(filepath.Join(lib, "modules", "*"))
	if err != nil || len(dirs) != 1 {
		return "", fmt.Errorf("the packages hold modules of %d kernels, not of 1", len(dirs))
	}
	release = filepath.Base(dirs[0])
	found, err := firstFile(filepath.Join(tree, "boot", "vmlinuz-"+release), filepath.Join(dirs[0], "vmlinuz"))
	if err != nil {
		return "", err
	}
	if err := os.Rename(found, filepath.Join(made, fileKernel)); err != nil {
		return "", err
	}
	say.line("kernel %s: taking its modules", release)
	files, err := moduleFiles(ctx, tree, release)
	if err != nil {
		return "", err
	}
	return release, writeModules(ctx, filepath.Join(made, fileModules), files)
}

func firstFile(paths ...string) (string, error) {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("none of %s is in the packages", strings.Join(paths, ", "))
}

// moduleFiles returns the files of the modules in an order in which they can be loaded.
func moduleFiles(ctx context.Context, tree, release string) ([]string, error) {
	if _, err := output(ctx, "", "depmod", "-b", tree, release); err != nil {
		return nil, err
	}
	var files []string
	seen := map[string]bool{}
	for _, m := range modules {
		name, optional := strings.CutSuffix(m, "?")
		plan, err := output(ctx, "", "modprobe", "-d", tree, "-S", release, "--show-depends", name)
		if err != nil {
			if optional {
				continue
			}
			return nil, err
		}
		for _, line := range strings.Split(plan, "\n") { // "insmod FILE", or "builtin NAME"
			f := strings.Fields(line)
			if len(f) < 2 || f[0] != "insmod" || seen[f[1]] {
				continue
			}
			seen[f[1]] = true
			files = append(files, f[1])
		}
	}
	return files, nil
}

// writeModules packs modules, uncompressed, as /mods/100-NAME.ko and so on.
func writeModules(ctx context.Context, path string, files []string) error {
	var ar cpio
	ar.dir("mods")
	for i, f := range files {
		text, err := os.ReadFile(f)
		base, _, _ := strings.Cut(filepath.Base(f), ".ko")
		if err == nil && filepath.Ext(f) == ".xz" {
			var plain string
			plain, err = output(ctx, "", "xz", "-dc", f)
			text = []byte(plain)
		}
		if err != nil {
			return err
		}
		ar.file(fmt.Sprintf("mods/%d-%s.ko", 100+i, base), 0o644, text)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(ar.end()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644)
}

// writeInitrd puts this program's init and this machine's busybox before the modules of an image: the kernel takes several
// archives in a row.
func writeInitrd(path string, img *image, init []byte) error {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return err
	}
	shell, err := os.ReadFile(busybox)
	mods, err2 := os.ReadFile(filepath.Join(img.dir, fileModules))
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	var ar cpio
	for _, d := range []string{"bin", "dev", "proc", "sys", "ro", "rw", "mnt"} {
		ar.dir(d)
	}
	ar.file("bin/busybox", 0o755, shell)
	ar.link("bin/sh", "busybox")
	ar.file("init", 0o755, init)
	return os.WriteFile(path, append(ar.end(), mods...), 0o644)
}
