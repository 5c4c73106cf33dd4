package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // the input is wrong, or the output is stale
	exitUsage = 2 // the command line is wrong
)

// debugVar names the variable of the environment that, set to 1, has an internal error tell its stack.
const debugVar = "VERBSGEN_DEBUG"

// app is one run of the command.
type app struct {
	notes []string // for stderr, once all went well
	out   *checkedWriter
	err   io.Writer
	tty   terminal // where out goes
}

// run executes a command line and gives the exit code. What was asked for goes to stdout, diagnostics to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	code, list := runList(ctx, args, stdout, stderr)
	printDiags(stderr, list)
	return code
}

// runList is run, but for the printing of the diagnostics.
func runList(ctx context.Context, args []string, stdout, stderr io.Writer) (code int, list diag.List) {
	a := &app{out: &checkedWriter{w: stdout}, err: stderr, tty: terminalOf(stdout)}
	defer func() {
		if r := recover(); r != nil {
			a.stack(debug.Stack())
			code, list = exitError, diag.From(fmt.Errorf("%v", r))
		}
	}()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if a.out.err != nil {
		err = failed{diag.One(diag.New(diag.OutputWrite, "", 0, 0, "standard output", a.out.err.Error(), "make room or write elsewhere"))}
	}
	var f failed
	var panicked *diag.Panic
	if errors.As(err, &panicked) {
		a.stack(panicked.Stack)
	}
	switch {
	case err == nil:
		return exitOK, nil
	case errors.As(err, &f):
		return exitError, diag.From(f.error)
	}
	return exitUsage, diag.List{usageDiag(root, args, err)}
}

// stack tells the stack of a panic if it is asked for.
func (a *app) stack(of []byte) {
	if os.Getenv(debugVar) == "1" {
		fmt.Fprintf(a.err, "%s\n", of)
	}
}

// failed marks an error of what a command does; any other error that cobra hands back is about the command line.
type failed struct{ error }

func (f failed) Unwrap() error { return f.error }

// usageDiag says what is wrong with the command line, and which help to read.
func usageDiag(root *cobra.Command, args []string, err error) diag.Diag {
	help := "verbsgen --help"
	if c, _, ferr := root.Find(args); ferr == nil && c != root && c.Name() != "help" {
		help = c.CommandPath() + " --help"
	}
	subject := "usage"
	problem, _, _ := strings.Cut(err.Error(), "\n")
	return diag.New(diag.Usage, "", 0, 0, subject, problem, "see `"+help+"`")
}

// usageError is an error about the command line that a command finds itself.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// checkedWriter remembers that writing failed, so that a full disk is no success.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	n, err := c.w.Write(p)
	c.err = err
	return n, err
}

// helpWidth is how many columns the help has.
const helpWidth = 80

const longHelp = `verbsgen generates a Go package from rdma-core's verbs.h and man pages.

The command contains the facts of each known release (what its verbs.h declares)
and pages in YAML (how the verbs look in Go, and the rules of their man pages).
It needs no header, no man page, no C compiler and no network. --header FILE
reads another header, --spec DIR reads more pages, which replace the pages of
the command or add to them.

Diagnostics are lines of the form  file:line:col: subject: problem; fix
Exit codes: 0 done, 1 the input is wrong or the output is stale, 2 the command
line is wrong.`

// root builds the command tree.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:               "verbsgen",
		Short:             "generate Go bindings for RDMA verbs",
		Long:              longHelp,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              cobra.ArbitraryArgs,

		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
	}
	root.Flags().Bool("version", false, "print the version of the command")
	root.Version = version()
	root.SetVersionTemplate("{{.Version}}")
	root.SetFlagErrorFunc(unknownFlag)
	root.SetOut(a.out)
	root.SetErr(a.err)
	cobra.EnableCommandSorting = false // a group has its commands in the order in which they are used
	for _, g := range a.groups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(helpCmd())
	root.SetHelpCommandGroupID(groupOther)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprintf("Flags.FlagUsagesWrapped %d", helpWidth)))
	addCompletions(root)
	return root
}

// helpCmd is the command help. Unlike cobra's, it refuses a command that does not exist.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "print the help of a command",
		Long:  "help prints the help of a command, or of verbsgen.",
		Args:  takes(0, 1),

		ValidArgsFunction: first(commandNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// printDiags writes diagnostics as lines, with colours on a terminal: the place, the problem, and the fix in green.
func printDiags(w io.Writer, list diag.List) {
	t := terminalOf(w)
	list.Print(w, func(place, subject, problem, fix string) string {
		line := t.paint(place, color.Bold)
		if subject != "" {
			line += ": " + t.paint(subject, color.FgCyan)
		}
		line += ": " + t.paint(problem, color.FgRed)
		if fix != "" {
			line += "; " + t.paint(fix, color.FgGreen)
		}
		return line
	})
}

// unknownCommand names what was likely meant.
func unknownCommand(root *cobra.Command, name string) error {
	if near := root.SuggestionsFor(name); len(near) > 0 {
		return usagef("unknown command %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return usagef("unknown command %q", name)
}

// unknownFlag names the flag that was likely meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := spec.Closest(unknown.GetSpecifiedName(), names); near != "" {
		return usagef("%w; did you mean --%s?", err, near)
	}
	return err
}

// takes refuses fewer than low and more than high words behind the flags.
func takes(low, high int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) > high && high == 0:
			return usagef("unexpected argument %q", args[0])
		case len(args) > high:
			return usagef("unexpected argument %q; at most %d are taken", args[high], high)
		case len(args) < low:
			return usagef("expected %s, got %d", countArguments(low), len(args))
		}
		return nil
	}
}

// countArguments is a number of arguments in words.
func countArguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// exclusive refuses two flags together.
func exclusive(cmd *cobra.Command, a, b string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if cmd.Flags().Changed(a) && cmd.Flags().Changed(b) {
			return usagef("--%s and --%s cannot be used together", a, b)
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}

// do makes a cobra handler of a function whose errors are about what it does, not about the command line.
func do(fn func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		stop := progress(terminalOf(cmd.ErrOrStderr()), cmd.CommandPath())
		err := fn(cmd, args)
		stop()
		var u usageError
		if err == nil || errors.As(err, &u) {
			return err
		}
		return failed{err}
	}
}
