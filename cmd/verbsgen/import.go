package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/rdmacore"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/regular"
)

// releaseName is the form of a release's name: numbers with dots between them.
var releaseName = regexp.MustCompile(`^[0-9]+(\.[0-9]+)*$`)

// importFlags are the flags of import.
type importFlags struct {
	module, header, lib, git, tree, release, as, out string
	keep                                             string
	include                                          []string
	abi                                              bool
}

func (a *app) importCmd() *cobra.Command {
	var in importFlags
	cmd := &cobra.Command{
		Use:   "import --release REL (--git DIR | --tree DIR | --header FILE) [flags]",
		Short: "store the facts of a release",
		Long: `import reads the header of a release and the version of each symbol of its
library, and stores these facts in spec/api/facts.txt of verbsgen's source, or
in the file of -o; each module has a file of its own. Then build verbsgen again.
Facts of the same release are replaced; those of other releases stay. import
refuses a release that lacks a declaration of all older releases in the file, or
that differs from them in a value, type or offset on which they agree.

--git reads them from a git repository of rdma-core, at the tag of the release
(v39.0 for 39.0): the headers that the release installs, and the symbol versions
of its libibverbs.map.in, or of the map of the module's library. --tree reads
the same from a folder that the tarball of the release was unpacked to. --keep
saves these headers in a folder. --header reads any header, and --lib reads the
symbol versions from a libibverbs.so; without --lib there are none.

The facts contain the name with which the header is included: the last folder of
its path and its name, such as infiniband/verbs.h, unless --as gives another
name.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			if err := in.check(); err != nil {
				return err
			}
			m, err := spec.ModuleOf(in.module)
			if err != nil {
				return err
			}
			rel, source, err := in.read(m)
			if err != nil {
				return err
			}
			return a.storeFacts(m, rel, source, cmp.Or(in.out, filepath.Join("spec", "api", m.Facts)), in.abi)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&in.module, "module", "", "`name` of the module: "+strings.Join(spec.Modules(), " or ")+" (default: "+spec.DefaultModule+")")
	f.StringVar(&in.header, "header", "", "read this `file`, the verbs.h of the release")
	f.StringArrayVarP(&in.include, "include", "I", nil, "look in this `folder` for what the header includes (repeatable)")
	f.StringVar(&in.lib, "lib", "", "read symbol versions from this `file`, the libibverbs.so of the release")
	f.StringVar(&in.git, "git", "", "read the release from this `folder`, a git repository of rdma-core")
	f.StringVar(&in.tree, "tree", "", "read the release from this `folder`, the source of rdma-core")
	f.StringVar(&in.keep, "keep", "", "save the headers of --git or --tree in this `folder`, as in /usr/include")
	f.StringVar(&in.release, "release", "", "`name` of the release, such as 66.0")
	f.StringVar(&in.as, "as", "", "`name` with which the header is included")
	f.StringVarP(&in.out, "output", "o", "", "`file` to store the facts in (default: that of the module in spec/api)")
	f.BoolVar(&in.abi, "allow-changed-abi", false, "store facts that contradict all older releases in the file, or lack what these have")
	exclusive(cmd, "git", "tree")
	for _, source := range []string{"git", "tree"} {
		for _, other := range []string{"header", "lib", "include", "as"} {
			exclusive(cmd, source, other)
		}
	}
	return cmd
}

// check finds what flag parsing alone does not.
func (in *importFlags) check() error {
	switch {
	case in.header == "" && in.git == "" && in.tree == "":
		return usagef("--git, --tree or --header is needed")
	case in.header != "" && in.keep != "":
		return usagef("--keep needs --git or --tree")
	case in.release == "":
		return usagef("--release is needed")
	case !releaseName.MatchString(in.release):
		return usagef("--release %q does not look like 66.0", in.release)
	}
	return nil
}

// read reads the facts, and says where they were read.
func (in *importFlags) read(m *spec.Module) (rel *api.Release, source string, err error) {
	switch {
	case in.git != "":
		tag := "v" + in.release
		rel, err = in.readTree(m, rdmacore.Tree{Dir: in.git, Commit: tag})
		return rel, "git:" + tag, err
	case in.tree != "":
		rel, err = in.readTree(m, rdmacore.Tree{Dir: in.tree})
		return rel, "tree", err
	}
	opt := input.ReadHeader(m, in.header, in.include)
	opt.As = in.as
	if opt.As == "" {
		opt.As = asIncluded(in.header)
	}
	if in.lib == "" {
		rel, err = cheader.Import(opt, in.release, nil, "")
		return rel, "header", err
	}
	versions, err := cheader.SymbolVersions(in.lib)
	if err != nil {
		return nil, "", err
	}
	rel, err = cheader.Import(opt, in.release, versions, "the library "+in.lib)
	return rel, "header+library", err
}

// readTree reads the facts from the source of rdma-core, which must call itself by the name of the release.
func (in *importFlags) readTree(m *spec.Module, tree rdmacore.Tree) (*api.Release, error) {
	dir := in.keep
	if dir == "" {
		temp, err := os.MkdirTemp("", "verbsgen-import-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		dir = temp
	}
	headers, err := tree.Export(dir, rdmacore.Library{Folder: m.Source, Header: m.Header})
	if err != nil {
		return nil, err
	}
	if headers.Release != in.release {
		return nil, diag.One(diag.New(diag.CheckoutRead, tree.Place("CMakeLists.txt"), headers.Version, 1, "PACKAGE_VERSION",
			fmt.Sprintf("this is release %q, not %s", headers.Release, in.release), "give the source of "+in.release))
	}
	opt := input.ReadHeader(m, headers.File, nil)
	opt.As = asIncluded(headers.File)
	rel, err := cheader.Import(opt, in.release, headers.Versions, tree.Place(headers.Map))
	if err != nil {
		return nil, tree.Own(err, dir)
	}
	return rel, nil
}

// asIncluded guesses by which name a header is included: the last folder and the name.
func asIncluded(header string) string {
	abs, err := filepath.Abs(header)
	if err != nil {
		return filepath.Base(header)
	}
	return path.Join(filepath.Base(filepath.Dir(abs)), filepath.Base(abs))
}

// storeFacts puts the facts beside those of other releases, over nothing but a file of facts.
func (a *app) storeFacts(m *spec.Module, rel *api.Release, source, name string, changed bool) error {
	at, err := output.FileAt(name)
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, name, 0, 0, "facts", diag.Reason(err), "choose a file that can be written with -o"))
	}
	old, err := regular.Read(at, maxInput)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.One(diag.New(diag.OutputWrite, at, 0, 0, "facts", diag.Reason(err), "choose a file that can be written with -o"))
	}
	known, err := api.Parse(string(old))
	if err != nil {
		return diag.One(diag.New(diag.OutputForeign, at, 1, 1, "facts", "exists already and does not contain facts of releases: "+err.Error(),
			"move it elsewhere or choose another file with -o"))
	}
	if known, err = known.Before(rel.Release); err != nil {
		return err
	}
	if err := generate.CheckKnown(m.Header, rel, m, known, changed); err != nil {
		return err
	}
	data, err := api.Store(string(old), rel, source)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(at), 0o777); err == nil {
		err = renameio.WriteFile(at, data, 0o644)
	}
	if err != nil {
		return diag.One(diag.New(diag.OutputWrite, at, 0, 0, "facts", diag.Reason(err), "choose a file that can be written with -o"))
	}
	fmt.Fprintf(a.out, "facts of %s from %s in %s: %s, %s, %s, %s\n", rel.Release, source, at, plural(len(rel.Functions), "function"),
		plural(len(rel.Records), "record"), plural(len(rel.Enums), "enum"), plural(len(rel.Macros), "macro"))
	if source == "header" {
		fmt.Fprintln(a.out, "without --lib: no symbol versions")
	}
	return nil
}
