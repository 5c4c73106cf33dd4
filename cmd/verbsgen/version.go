package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	gomod "golang.org/x/mod/module"

	"github.com/verbsgen/verbsgen/spec/api"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version of the command",
		Long: `version prints the version of verbsgen, the releases of rdma-core whose facts it
contains, and the version of Go that it was built with. --version prints the
same.`,
		Args: takes(0, 0),
		RunE: do(func(*cobra.Command, []string) error {
			_, err := io.WriteString(a.out, version())
			return err
		}),
	}
}

// version is one line: the module's version, the revision that it was built from if that is known, the range of the releases whose
// facts are inside, and the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	known := api.Releases()
	return fmt.Sprintf("%s, rdma-core %s to %s, %s\n", describeBuild(info), known[0], known[len(known)-1], runtime.Version())
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
