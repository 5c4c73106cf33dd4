package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

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

// version is one line: the module's version, which names the revision of a build in a checkout, the range of the releases whose facts are
// inside, and the version of Go.
func version() string {
	name := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		name = info.Main.Version
	}
	known := api.Releases()
	return fmt.Sprintf("verbsgen %s, rdma-core %s to %s, %s\n", name, known[0], known[len(known)-1], runtime.Version())
}
