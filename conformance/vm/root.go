//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// releaseRoot returns a root for the guest with a release of rdma-core: the kept one, or a new one made of Debian's packages. The
// folder has the script in its name, so that a root that an earlier script made is not taken for one with today's packages.
func releaseRoot(ctx context.Context, cache, release string, say *progress) (string, error) {
	unlock, err := lock(ctx, filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	module, err := output(ctx, "", "go", "list", "-f", "{{.Module.Dir}}", "github.com/verbsgen/verbsgen/conformance/vm")
	if err != nil {
		return "", err
	}
	script := filepath.Join(strings.TrimSpace(module), "abi", "facts", "fetch.sh")
	text, err := os.ReadFile(script)
	if err != nil {
		return "", err
	}
	roots := filepath.Join(cache, fmt.Sprintf("root-%x", sha256.Sum256(text))[:len("root-")+8])
	say.status("a root with rdma-core %s", release)
	_, err = output(ctx, "", script, "--for", "guest", roots, release)
	say.clear()
	if err != nil {
		return "", fmt.Errorf("a root with rdma-core %s: %w", release, err)
	}
	return filepath.Join(roots, release), nil
}
