package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	gomod "golang.org/x/mod/module"

	"github.com/verbsgen/verbsgen/spec/api"
)

// version is the answer to --version: the module's version, the revision it was built from where that is known, and
// the releases whose facts are inside.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return describeBuild(info) + "facts of rdma-core " + strings.Join(api.Releases(), ", ") + "\n"
}

// describeBuild names version and revision. The revision is recorded in what is built in a checkout; otherwise the
// version names it, unless it is that of a tag.
func describeBuild(info *debug.BuildInfo) string {
	name := info.Main.Version
	if name == "" {
		name = "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision == "" {
		// The error says that the version is no pseudo-version, so that it names no revision.
		revision, _ = gomod.PseudoVersionRev(name)
	}
	text := fmt.Sprintf("verbsgen %s\n", name)
	if revision != "" {
		text += "revision " + revision
		if settings["vcs.modified"] == "true" {
			text += ", with changes that are not committed"
		}
		text += "\n"
	}
	return text
}
