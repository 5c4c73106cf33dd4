package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

func (a *app) completionCmd() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "write a script that completes command lines in a shell",
		Long: `completion writes a script for bash, zsh, fish or powershell. With it the shell
completes commands, flags, releases, verbs, and for explain the parameters of a
verb and their constants.

  source <(verbsgen completion bash)         in ~/.bashrc; it needs the package
                                             bash-completion
  source <(verbsgen completion zsh)          in ~/.zshrc, after compinit
  verbsgen completion fish | source          in ~/.config/fish/config.fish
  verbsgen completion powershell | Out-String | Invoke-Expression`,
		Args:      takes(1, 1),
		ValidArgs: shells,
		RunE: do(func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usagef("no completion for the shell %q; there is one for %s", args[0], strings.Join(shells, ", "))
		}),
	}
}

// flagValues completes the values of flags, by flag; --release of import and -o of report are other things than
// elsewhere.
var flagValues = map[string]cobra.CompletionFunc{
	"release":        complete(api.Releases),
	"module":         complete(spec.Modules),
	"only":           completeOnly,
	"header":         files("h"),
	"include":        folders,
	"spec":           folders,
	"man":            folders,
	"tests":          folders,
	"output":         folders,
	"lib":            files(),
	"caps":           files("yaml", "yml"),
	"cases":          files("yaml", "yml"),
	"provider":       complete(spec.Providers),
	"report output":  files("html", "md"),
	"import release": cobra.NoFileCompletions,
}

// arguments completes the words that are no flags, by command; elsewhere there are none, or ValidArgs has them.
var arguments = map[string]cobra.CompletionFunc{
	"diff":    completeDiff,
	"explain": completeCall,
	"report":  files("json"),
	"rules":   first(verbNames),
}

// addCompletions has the shell complete what the commands take.
func addCompletions(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, cmd := range root.Commands() {
		cmd.ValidArgsFunction = arguments[cmd.Name()]
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			fn := flagValues[cmd.Name()+" "+f.Name]
			if fn == nil {
				fn = flagValues[f.Name]
			}
			if fn != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, fn) // fails for a flag that the command does not have
			}
		})
	}
}

// complete offers names that begin with the word.
func complete(names func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
		return beginning(names(), word), cobra.ShellCompDirectiveNoFileComp
	}
}

// first is complete for the first argument alone.
func first(names func() []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(names)(cmd, args, word)
	}
}

// files offers files with one of these extensions; with none of them given, all.
func files(extensions ...string) cobra.CompletionFunc {
	if len(extensions) == 0 {
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeOnly offers functions of the newest release for the last of several patterns.
func completeOnly(_ *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	before, last := word[:strings.LastIndexByte(word, ',')+1], word[strings.LastIndexByte(word, ',')+1:]
	rel, err := api.Load(api.Newest())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	for _, f := range rel.Functions {
		names = append(names, f.Name)
	}
	return prefixed(before, beginning(names, last)), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeDiff offers releases; a header is a file.
func completeDiff(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) >= 2 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return beginning(api.Releases(), word), cobra.ShellCompDirectiveDefault
}

// completeCall offers verbs, then parameters of the verb, then constants that the parameter takes.
func completeCall(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return complete(verbNames)(cmd, args, word)
	}
	rel, sp, err := input.Load(input.Source{})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	const more = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	name, value, ok := strings.Cut(word, "=")
	if ok {
		before, last := value[:strings.LastIndexByte(value, '|')+1], value[strings.LastIndexByte(value, '|')+1:]
		return prefixed(name+"="+before, beginning(explain.New(sp, rel).Constants(args[0], name), last)), more
	}
	var names []string
	for _, f := range rel.Functions {
		if f.Name == args[0] {
			for _, p := range f.Params {
				names = append(names, p.Name+"=")
			}
		}
	}
	return beginning(names, word), more
}

// verbNames are the verbs that the pages describe.
func verbNames() []string {
	sp, err := spec.Embedded("")
	if err != nil {
		return nil
	}
	return slices.Sorted(slices.Values(functionsOf(sp, nil)))
}

func beginning(names []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, word) })
}

func prefixed(before string, names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = before + n
	}
	return out
}
