package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	gomod "golang.org/x/mod/module"

	"github.com/verbsgen/verbsgen/spec/api"
)

// version is what --version prints, one line: the module's version, the revision that it was built from if that is known, and the
// range of the releases whose facts are inside.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	known := api.Releases()
	return fmt.Sprintf("%s, %d releases of rdma-core: %s to %s\n", describeBuild(info), len(known), known[0], known[len(known)-1])
}

// shortRevision is the length of revisions in pseudo-versions, too.
const shortRevision = 12

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
	text := "verbsgen " + name
	if len(revision) > shortRevision {
		revision = revision[:shortRevision]
	}
	switch {
	case revision == "":
	case settings["vcs.modified"] == "true":
		text += " (" + revision + ", modified)"
	case !strings.Contains(name, revision):
		text += " (" + revision + ")"
	}
	return text
}
