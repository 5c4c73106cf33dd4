package main

import (
	"bytes"
	"fmt"
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
		Long: `man writes the manual page of verbsgen, or of one of its commands, in the format
of man(7).

  verbsgen man | man -l -
  verbsgen man > /usr/local/share/man/man1/verbsgen.1
  verbsgen man explain > /usr/local/share/man/man1/verbsgen-explain.1`,
		Args:              takes(0, 1),
		ValidArgsFunction: first(commandNames),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			// The page has no date: it would differ from run to run. Cobra cannot leave it out, so that it gets one that is removed.
			header := &doc.GenManHeader{Section: "1", Source: "verbsgen", Manual: "verbsgen", Date: new(time.Time)}
			var page bytes.Buffer
			unquoteFlags(of)
			if err := doc.GenMan(literal(of), header, &page); err != nil {
				return err
			}
			_, err = a.out.Write(bytes.Replace(page.Bytes(), []byte(header.Date.Format(`"Jan 2006"`)), []byte(`""`), 1))
			return err
		}),
	}
}

// commandNames are the names of all commands.
func commandNames() []string {
	var names []string
	for _, g := range (&app{out: &checkedWriter{}}).groups() {
		for _, c := range g.commands {
			names = append(names, c.Name())
		}
	}
	return names
}

// literal makes a page keep the lines of the help, which cobra would take for Markdown and fill. The commands are a section of their own.
func literal(cmd *cobra.Command) *cobra.Command {
	cmd.Long = "```\n" + cmd.Long + "\n```"
	if cmd.HasSubCommands() {
		cmd.Long += "\n\n# COMMANDS\n"
	}
	for _, g := range cmd.Groups() {
		cmd.Long += "\n### " + g.Title + "\n\n```\n"
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID {
				cmd.Long += fmt.Sprintf("%-*s  %s\n", cmd.NamePadding(), c.Name(), c.Short)
			}
		}
		cmd.Long += "```\n"
	}
	return cmd
}

// unquoteFlags removes the backquotes that mark the name of a value in the help of a flag.
func unquoteFlags(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
}
