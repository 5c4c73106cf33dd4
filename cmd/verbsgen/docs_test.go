package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
)

// commandsMD is the reference of the command, made of its own help.
var commandsMD = filepath.Join("..", "..", "docs", "commands.md")

// TestCommandsDocument holds docs/commands.md against the help of every command; -update rewrites it.
func TestCommandsDocument(t *testing.T) {
	want := commandsDocument()
	if *update {
		if err := os.WriteFile(commandsMD, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(commandsMD)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the help of the commands says; run go test ./cmd/verbsgen -run CommandsDocument -update", commandsMD)
	}
}

// TestMatrixDocument compares the matrix in docs with the reports that it shows. -update writes it, and make matrix makes new reports too.
func TestMatrixDocument(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	var reports []string
	for _, name := range []string{"softverbs", "rxe-6.1", "rxe-6.12", "rxe-7.2", "rxe-7.2-rdma-core-65.0", "mlx5-44.0", "mlx5-65.0"} {
		reports = append(reports, filepath.Join(docs, "reports", name+".json"))
	}
	fresh, shown := filepath.Join(t.TempDir(), "matrix.md"), filepath.Join(docs, "conformance-matrix.md")
	if *update {
		fresh = shown
	}
	var said strings.Builder
	if code := run(t.Context(), append([]string{"report", "-o", fresh}, reports...), &said, &said); code != 0 {
		t.Fatalf("status %d, %s", code, &said)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(shown); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not show the reports in docs/reports, %v; run go test ./cmd/verbsgen -run MatrixDocument -update", shown, err)
	}
}

// TestEveryCommandHasHelp finds commands and flags without a description.
func TestEveryCommandHasHelp(t *testing.T) {
	for _, c := range documented() {
		if c.Short == "" || c.Long == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: no short or long help, or a full stop behind the short one", c.Name())
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s: no help", c.Name(), f.Name)
			}
		})
		var help bytes.Buffer
		c.SetOut(&help)
		c.InitDefaultHelpFlag()
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(help.String()) {
			if visibleLen(strings.TrimRight(line, "\n")) > helpWidth {
				t.Errorf("%s: a line of the help is wider than %d columns: %s", c.Name(), helpWidth, line)
			}
		}
		if strings.Contains(help.String(), "(default [])") {
			t.Errorf("%s: the help has an empty default:\n%s", c.Name(), &help)
		}
	}
}

// documented lists the root and its commands, but for help itself.
func documented() []*cobra.Command {
	root := (&app{out: &checkedWriter{}}).root()
	return append([]*cobra.Command{root}, root.Commands()...)
}

func commandsDocument() string {
	var b strings.Builder
	b.WriteString("# The command\n\nThis page is the help of the command; `verbsgen help COMMAND` prints it too. A test keeps the " +
		"two alike.\n")
	for _, c := range documented() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n```\n", c.CommandPath(), strings.ToUpper(c.Short[:1])+c.Short[1:])
		if !c.HasParent() {
			fmt.Fprintf(&b, "%s\n\n%s```\n", c.Long, c.UsageString())
			continue
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", c.UseLine(), c.Long)
		if flags := c.LocalFlags().FlagUsagesWrapped(helpWidth); flags != "" {
			fmt.Fprintf(&b, "\nFlags:\n%s", flags)
		}
		b.WriteString("```\n")
	}
	return b.String()
}

// TestScopeDocument holds the table of docs/new-release.md against the shapes that are out of scope.
func TestScopeDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/new-release.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range bind.Scope {
		if row := "| " + x.Shape + " | " + x.Say + " |\n"; !strings.Contains(string(text), row) {
			t.Errorf("docs/new-release.md has no row\n%s", row)
		}
	}
}
