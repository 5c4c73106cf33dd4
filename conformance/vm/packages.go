//go:build linux

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// need is a Debian package of this machine and what it is recognised by: one of the files or commands.
type need struct {
	name  string
	found []string // a name without slash is a command, with slash a file pattern
}

// hostPackages are needed for every run. What qemu depends on (qemu-system-common, ipxe-qemu) comes with it.
var hostPackages = []need{
	{"qemu-system-x86", []string{"qemu-system-x86_64"}},
	{"qemu-system-data", []string{"/usr/share/qemu/linuxboot_dma.bin"}},
	{"seabios", []string{"/usr/share/seabios/bios-256k.bin"}},
	{"busybox-static", []string{"/bin/busybox", "/usr/bin/busybox"}},
}

// guestPackages are needed in the root of the guest, which is this machine's unless another is named.
var guestPackages = []need{
	{"iproute2", []string{"rdma"}},
	{"libibverbs1", []string{"/usr/lib/x86_64-linux-gnu/libibverbs.so.1", "/lib/x86_64-linux-gnu/libibverbs.so.1"}},
	{"ibverbs-providers", []string{"/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav*.so"}},
	{"ibverbs-utils", []string{"ibv_devinfo"}},
	{"rdmacm-utils", []string{"rping"}}, // with librdmacm
}

// buildPackages are needed to make the initrd of a kernel, which is kept.
var buildPackages = []need{
	{"kmod", []string{"depmod"}},
	{"xz-utils", []string{"xz"}},
	{"dpkg", []string{"dpkg-deb"}},
}

// missing returns the names of the packages that are not there, below a root.
func missing(root string, needs []need) []string {
	var out []string
	for _, n := range needs {
		if !n.present(root) {
			out = append(out, n.name)
		}
	}
	return out
}

func (n need) present(root string) bool {
	for _, f := range n.found {
		patterns := []string{f}
		if !strings.Contains(f, "/") {
			if _, err := exec.LookPath(f); err == nil && root == "/" {
				return true
			}
			patterns = []string{"/usr/bin/" + f, "/bin/" + f, "/usr/sbin/" + f, "/sbin/" + f}
		}
		for _, p := range patterns {
			if hits, err := filepath.Glob(filepath.Join(root, p)); err == nil && len(hits) > 0 {
				return true
			}
		}
	}
	return false
}

// widenPath adds the usual folders at the end of the search path: some tools are for root only, and the path of a service
// or of another user may lack them.
func widenPath() {
	path := filepath.SplitList(os.Getenv("PATH"))
	for _, dir := range []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"} {
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	os.Setenv("PATH", strings.Join(path, string(filepath.ListSeparator)))
}

//go:embed install.sh
var install string

// needPackages installs what is missing when it may, and otherwise says what to do.
func needPackages(ctx context.Context, needs []need, say *progress) error {
	lack := missing("/", needs)
	if len(lack) == 0 {
		return nil
	}
	say.line("installing %s", strings.Join(lack, " "))
	_, err := output(ctx, "", "bash", slices.Concat([]string{"-c", install, "install"}, lack)...)
	still := missing("/", needs)
	if len(still) == 0 {
		return nil
	}
	if err == nil {
		err = errors.New("apt-get succeeded, but what they are known by is not there")
	}
	return fmt.Errorf("missing: %s; %w", strings.Join(still, " "), err)
}

// needInRoot checks another root than this machine's, in which nothing is installed from here.
func needInRoot(root string, needs []need) error {
	if lack := missing(root, needs); len(lack) > 0 {
		names := strings.Join(lack, " ")
		return fmt.Errorf("missing in %s: %s; install them there: chroot %s apt-get install --no-install-recommends %s", root, names, root, names)
	}
	return nil
}

// output runs a command in a folder ("" for this one) and gives what it wrote; the error holds what it said.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, lastLines(errs.String()+string(out), 12))
	}
	return string(out), nil
}

// lastLines returns the end of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return strings.Join(lines, "\n")
}
