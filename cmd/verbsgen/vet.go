package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/vet"
)

const vetHelp = `vet checks a program's calls to generated packages without running the program,
and reports those that break a rule of the man pages. It runs

  go vet -vettool=PATH-OF-VERBSGEN [flags] [packages]

vet takes the packages and flags of go vet. Without packages it checks the
package in this folder. It tracks values through constants, local variables,
structs and the builders of attributes (NewX). It reports a call only if the
call breaks a rule whatever the unknown values are:

  pd.RegMR(buf, verbs.MRAccessRemoteWrite)

  x.go:9:16: ibv_reg_mr: access REMOTE_WRITE (0x2):
  REMOTE_WRITE needs LOCAL_WRITE;
  add MRAccessLocalWrite [VR-ibv_reg_mr-access-0001]

The analyzers are

  verbsrules        calls that no device is known to accept
  verbshints        calls that only some devices or kernels accept
  verbsresults      calls whose error is dropped
  verbsevents       events that are never acknowledged
  verbscompletions  completions whose status nobody looks at, and waits for a
                    queue without a channel
  verbshandles      handles that a function creates and loses, or that are in a
                    field which no method closes
  verbsleaks        handles that stay open when a function returns an error
  verbsbatches      batches that goroutines share, and requests beyond the end
                    of a batch
  verbsmemory       elements of requests with memory that is not registered

-verbsrules runs only the analyzer of that name, -verbshints=false all but that
analyzer. -json prints JSON. -fix adds missing flags, and reports what remains.
-diff prints, as a patch, what -fix would change. The exit code is that of go
vet: 1 when something is reported, or when the patch is not empty.

A comment on the line of a call, or above it, says that a rule is broken on
purpose:

  //verbsgen:ignore VR-ibv_reg_mr-access-0001 the test needs a refused call

vet recognizes a generated package by the line "//verbsgen:module". It checks
calls to that package by verbsgen's rules for the package's module and release,
and by the rules in the --spec folders that its go:generate line names.`

func (a *app) vetCmd() *cobra.Command {
	return &cobra.Command{
		Use:                "vet [flags of go vet] [packages]",
		Short:              "report calls in Go programs that break rules",
		Long:               vetHelp,
		DisableFlagParsing: true,
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			fix, rest := without(args, "fix")
			diff, _ := without(args, "diff")
			if diff {
				return a.goVet(cmd, append([]string{"-fix"}, rest...))
			}
			asJSON, _ := without(args, "json")
			if err := a.goVet(cmd, args); err != nil || !fix || asJSON {
				return err
			}
			return a.goVet(cmd, rest) // go vet -fix reports nothing: this is what it did not mend
		}),
	}
}

// goVet runs go vet with verbsgen as its tool.
func (a *app) goVet(cmd *cobra.Command, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(cmd.Context(), "go", append([]string{"vet", "-vettool=" + self}, args...)...)
	var said bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, a.out, &said
	err = c.Run()
	if _, failed := io.WriteString(a.err, byPosition(said.String())); failed != nil {
		return failed
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return failed{diag.List{}} // what is wrong is printed
	}
	return err
}

// without removes a flag that has no value, and reports whether it was there.
func without(args []string, name string) (found bool, rest []string) {
	for _, arg := range args {
		if flag := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"); flag != arg && (flag == name || flag == name+"=true") {
			found = true
		} else {
			rest = append(rest, arg)
		}
	}
	return found, rest
}

// isVetTool reports whether the go command runs verbsgen as its vet tool: with the name of a configuration, or to ask what it is.
func isVetTool(args []string) bool {
	return len(args) > 0 && (args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg"))
}

// vetTool analyses one package as the go command asks. It does not return.
func vetTool() { unitchecker.Main(vet.Analyzers()...) }
