//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// releaseRoot gives a root for the guest with a release of rdma-core: the kept one, or a new one made of Debian's packages.
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
	script := filepath.Join(strings.TrimSpace(module), "conformance", "facts", "fetch.sh")
	say.status("a root with rdma-core %s", release)
	_, err = output(ctx, "", script, "--for", "guest", filepath.Join(cache, "root"), release)
	say.clear()
	if err != nil {
		return "", fmt.Errorf("a root with rdma-core %s: %w", release, err)
	}
	return filepath.Join(cache, "root", release), nil
}
