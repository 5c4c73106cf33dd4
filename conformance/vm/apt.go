//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// aptTree is an apt of its own below one folder: it shares the machine's settings (proxy, keys) and nothing it writes.
type aptTree struct {
	dir  string
	args []string
}

const debianKeys = "/usr/share/keyrings/debian-archive-keyring.gpg"

// newApt makes an apt that knows one suite of a Debian mirror, and reads the suite's list of packages. Signatures are
// verified. That a list is past its date is no error: sid's is at times, and the signature still counts.
func newApt(ctx context.Context, dir, suite, mirror string) (*aptTree, error) {
	for _, d := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	source := fmt.Sprintf("Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nTargets: Packages\nCheck-Valid-Until: no\nSigned-By: %s\n",
		mirror, suite, debianKeys)
	for name, text := range map[string]string{"debian.sources": source, "status": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	a := &aptTree{dir: dir}
	for _, o := range []string{
		"Dir::Etc::sourcelist=" + filepath.Join(dir, "debian.sources"), "Dir::Etc::sourceparts=-", "Dir::Etc::preferencesparts=-",
		"Dir::State=" + filepath.Join(dir, "state"), "Dir::State::status=" + filepath.Join(dir, "status"),
		"Dir::Cache=" + filepath.Join(dir, "cache"), "APT::Architecture=amd64", "APT::Sandbox::User=root", "Acquire::Languages=none",
		"APT::Update::Error-Mode=any", // a list that cannot be had is an error
	} {
		a.args = append(a.args, "-o", o)
	}
	_, err := a.get(ctx, "update", "-qq")
	return a, err
}

// get runs apt-get in its folder.
func (a *aptTree) get(ctx context.Context, args ...string) (string, error) {
	return output(ctx, a.dir, "apt-get", append(a.args, args...)...)
}

// kernelPackage matches what of a kernel's dependencies holds files of the kernel, in a simulated installation.
var kernelPackage = regexp.MustCompile(`(?m)^Inst (linux-(?:base|image|modules|binary)-[0-9]\S*) `)

// kernelPackages says which packages the suite's kernel is made of: names that change with every update.
func (a *aptTree) kernelPackages(ctx context.Context) (names []string, err error) {
	plan, err := a.get(ctx, "-s", "--no-install-recommends", "install", "linux-image-amd64")
	if err != nil {
		return nil, err
	}
	for _, m := range kernelPackage.FindAllStringSubmatch(plan, -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		return nil, errors.New("the suite's linux-image-amd64 depends on no package of a known form")
	}
	return names, nil
}

// download fetches packages and gives the files.
func (a *aptTree) download(ctx context.Context, names []string) ([]string, error) {
	if _, err := a.get(ctx, append([]string{"download", "-qq"}, names...)...); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(a.dir, "*.deb"))
	if err == nil && len(files) != len(names) {
		err = fmt.Errorf("apt-get downloaded %d files for %d packages", len(files), len(names))
	}
	return files, err
}

// machineMirror returns the Debian mirror that this machine's own apt uses.
func machineMirror(ctx context.Context) (string, error) {
	out, err := output(ctx, "", "apt-get", "indextargets", "--format", "$(RELEASE) $(ORIGIN) $(LABEL) $(REPO_URI)", "Created-By: Packages")
	if err != nil {
		return "", err
	}
	return mirrorOf(out)
}

// mirrorOf picks the mirror out of a list of sources. Before the first update of the lists only names tell what a source is.
func mirrorOf(list string) (string, error) {
	suites := regexp.MustCompile(`^(bullseye|bookworm|trixie|forky|sid|oldoldstable|oldstable|stable|testing|unstable)$`)
	var guess string
	for _, line := range strings.Split(list, "\n") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		uri := f[len(f)-1]
		if len(f) == 4 && f[1] == "Debian" && f[2] == "Debian" {
			return uri, nil
		}
		if guess == "" && suites.MatchString(f[0]) {
			guess = uri
		}
	}
	if guess == "" {
		return "", errors.New("this machine's apt has no Debian mirror; name one with -mirror")
	}
	return guess, nil
}
