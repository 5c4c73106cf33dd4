package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

func (a *app) manCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "write the manual page of the command",
		Long: `man writes the manual page of verbsgen, or of one of its commands, in the format of man(7).

  verbsgen man | man -l -                                              read it
  verbsgen man > /usr/local/share/man/man1/verbsgen.1                  install it
  verbsgen man explain > /usr/local/share/man/man1/verbsgen-explain.1`,
		Args:              takes(0, 1),
		ValidArgsFunction: first(commandNames),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			// The page has no date of its own: it would differ from build to build.
			header := &doc.GenManHeader{Section: "1", Source: "verbsgen", Manual: "verbsgen", Date: new(time.Time)}
			unquoteFlags(of)
			return doc.GenMan(literal(of), header, a.out)
		}),
	}
}

// commandNames are the names of all commands.
func commandNames() []string {
	var names []string
	for _, c := range (&app{out: &checkedWriter{}}).commands() {
		names = append(names, c.Name())
	}
	return names
}

// literal makes a page keep the lines of the help, which cobra would take for Markdown and fill.
func literal(cmd *cobra.Command) *cobra.Command {
	cmd.Long = "```\n" + cmd.Long + "\n```"
	return cmd
}

// unquoteFlags removes the backquotes that mark the name of a value in the help of a flag.
func unquoteFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
}
