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

// fetchScript returns the path of the script that gets Debian's packages.
func fetchScript(ctx context.Context) (string, error) {
	module, err := output(ctx, "", "go", "list", "-f", "{{.Module.Dir}}", "github.com/verbsgen/verbsgen/conformance/vm")
	return filepath.Join(strings.TrimSpace(module), "abi", "facts", "fetch.sh"), err
}

// releaseRoot returns a root for the guest with a release of rdma-core: the kept one, or a new one made of Debian's packages. The
// folder has the script in its name, so that a root that an earlier script made is not taken for one with today's packages.
func releaseRoot(ctx context.Context, cache, release string, say *progress) (string, error) {
	script, err := fetchScript(ctx)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(script)
	if err != nil {
		return "", err
	}
	roots := filepath.Join(cache, fmt.Sprintf("root-%.4x", sha256.Sum256(text)))
	say.status("a root with rdma-core %s", release)
	_, err = output(ctx, "", script, "--for", "guest", roots, release)
	say.clear()
	if err != nil {
		return "", fmt.Errorf("a root with rdma-core %s: %w", release, err)
	}
	return filepath.Join(roots, release), nil
}
