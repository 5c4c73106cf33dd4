package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/internal/regular"
	"github.com/verbsgen/verbsgen/spec/api"
)

// releaseName is the form of a release's name: numbers with dots between them.
var releaseName = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)

func (a *app) importCmd() *cobra.Command {
	var header, lib, release, as, out string
	var include []string
	cmd := &cobra.Command{
		Use:   "import --header FILE --release REL [--lib FILE]",
		Short: "store the facts of a new release",
		Long: `import reads the header of a release, and from its libibverbs.so the version of each exported symbol, and
stores the facts as REL.json in spec/api of verbsgen's source (or the folder of -o, which it makes). Build verbsgen
again to have it know them. Without --lib the symbol versions are left out.

Positions are kept by the header's name as included: the last folder of its path and its name, such as
infiniband/verbs.h, unless --as gives another.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			switch {
			case header == "":
				return usagef("--header is needed")
			case release == "":
				return usagef("--release is needed")
			case !releaseName.MatchString(release):
				return usagef("--release %q is not of the form 66.0", release)
			}
			if as == "" {
				as = asIncluded(header)
			}
			rel, err := cheader.Import(cheader.Options{Header: header, Include: include, As: as}, lib, release)
			if err != nil {
				return err
			}
			return a.storeFacts(rel, filepath.Join(out, release+".json"), lib != "")
		}),
	}
	f := cmd.Flags()
	f.StringVar(&header, "header", "", "read this `file`, the verbs.h of the release")
	f.StringArrayVarP(&include, "include", "I", nil, "look in this `folder` for what the header includes (repeatable)")
	f.StringVar(&lib, "lib", "", "read symbol versions from this `file`, the libibverbs.so of the release")
	f.StringVar(&release, "release", "", "`name` of the release, such as 66.0")
	f.StringVar(&as, "as", "", "`name` of the header as included")
	f.StringVarP(&out, "output", "o", filepath.Join("spec", "api"), "`folder` to store the facts in")
	return cmd
}

// asIncluded guesses by which name a header is included: the last folder and the name.
func asIncluded(header string) string {
	abs, err := filepath.Abs(header)
	if err != nil {
		return filepath.Base(header)
	}
	return path.Join(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
}

// storeFacts writes the facts, over older facts of the same release but over nothing else.
func (a *app) storeFacts(rel *api.Release, name string, versions bool) error {
	at, err := output.FileAt(name)
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, name, 0, 0, "facts", reason(err), "choose a folder that can be written with -o"))
	}
	data, err := regular.Read(at, maxInput)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.One(diag.New(diag.OutputWrite, at, 0, 0, "facts", reason(err), "choose a folder that can be written with -o"))
	}
	if err == nil {
		if old, err := api.Unmarshal(data); err != nil || old.Release != rel.Release {
			return diag.One(diag.New(diag.OutputForeign, at, 1, 1, "facts", "is in the way: it does not hold the facts of release "+rel.Release,
				"move it elsewhere or choose another folder with -o"))
		}
	}
	err = os.MkdirAll(filepath.Dir(at), 0o777)
	if err == nil {
		err = api.Write(rel, at)
	}
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, at, 0, 0, "facts", reason(err), "choose a folder that can be written with -o"))
	}
	fmt.Fprintf(a.out, "facts of %s in %s: %s, %s, %s, %s\n", rel.Release, at, plural(len(rel.Functions), "function"),
		plural(len(rel.Records), "record"), plural(len(rel.Enums), "enum"), plural(len(rel.Macros), "macro"))
	if !versions {
		fmt.Fprintln(a.out, "without --lib: no symbol versions")
	}
	return nil
}
