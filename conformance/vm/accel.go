//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// probeInit is the whole guest of a trial boot: it says that it ran, and ends.
const probeInit = `#!/bin/sh
/bin/busybox mount -t devtmpfs dev /dev
echo "the trial boot came through" >/dev/ttyS0
/bin/busybox poweroff -f
`

const probeLimit = 15 * time.Second

// chooseAccel returns "kvm" where a boot with it comes through, else "tcg". That /dev/kvm is there does not tell: inside
// some virtual machines a boot with it hangs. The answer is kept until this machine boots again.
func chooseAccel(ctx context.Context, asked string, img *image, say *progress) string {
	if asked != "auto" {
		return asked
	}
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return "tcg"
	}
	f.Close()
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "tcg"
	}
	kept := filepath.Join(filepath.Dir(img.dir), "accel")
	if text, err := os.ReadFile(kept); err == nil {
		if id, accel, ok := strings.Cut(string(text), " "); ok && id == strings.TrimSpace(string(boot)) {
			return strings.TrimSpace(accel)
		}
	}
	say.status("trying KVM")
	accel := "tcg"
	if probeKVM(ctx, img) {
		accel = "kvm"
	}
	if ctx.Err() != nil {
		return "tcg"
	}
	if err := os.WriteFile(kept, []byte(strings.TrimSpace(string(boot))+" "+accel+"\n"), 0o644); err != nil {
		say.line("%v", err)
	}
	return accel
}

// probeKVM makes the trial boot.
func probeKVM(ctx context.Context, img *image) bool {
	dir, err := os.MkdirTemp("", "verbsgen-kvm-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(dir)
	initrd := filepath.Join(dir, "initrd")
	if err := writeInitrd(initrd, img, []byte(probeInit)); err != nil {
		return false
	}
	g := &guest{image: img, root: "/", out: dir, accel: "kvm", memory: 512, cpus: 1}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	if _, _, err := runQEMU(ctx, g.arguments(initrd)); err != nil {
		return false
	}
	console, err := os.ReadFile(filepath.Join(dir, "console"))
	return err == nil && strings.Contains(string(console), "the trial boot came through")
}
