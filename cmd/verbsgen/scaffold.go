package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/scaffold"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// scaffolding is the flags of scaffold, and what a run has found so far.
type scaffolding struct {
	source
	man, out, library string
	dropped           map[string]string
	objects           []string
}

func (a *app) scaffoldCmd() *cobra.Command {
	s := scaffolding{dropped: map[string]string{}}
	cmd := &cobra.Command{
		Use:   "scaffold --header FILE [--man DIR] [--library FILE] -o DIR",
		Short: "draft pages for what no page decides",
		Long: `scaffold writes pages for every declaration that no page binds, skips or lists
as pending: those that are new in a release, or all of a library that verbsgen
does not know. The pages generate, and the package compiles. They are drafts:
what a function returns, what its parameters are for, which struct is a handle,
which bit announces a field are guesses from the header and the man pages, and
each line with one ends with "# guess". A function that no guess fits is
skipped, with the reason.

For a new release of rdma-core, give its header, or its name if its facts are
stored. New fields, enumerators and arms are in files that extend the pages that
there are.

For another library, --library names the file that is loaded, such as
libnuma.so.1. Then a module.yaml is written too. Generate with --header FILE
--spec DIR.

--man takes a folder of man pages (*.3, *.3.gz, *.3.md), or one with a man3
folder in it: what a function returns is read there, and functions with one man
page get one page.`,
		Args: takes(0, 0),
		RunE: do(func(cmd *cobra.Command, args []string) error {
			switch {
			case s.out == "":
				return usagef("-o is needed: the folder for the pages")
			case s.library != "" && s.Header == "":
				return usagef("--library needs --header")
			}
			if err := s.check(); err != nil {
				return err
			}
			s.Note = a.note
			return a.scaffold(&s)
		}),
	}
	s.factFlags(cmd)
	s.specFlag(cmd)
	cmd.Flags().StringVar(&s.man, "man", "", "read man pages from this `folder`")
	cmd.Flags().StringVar(&s.library, "library", "", "`file` of a library that verbsgen does not know, such as libnuma.so.1")
	cmd.Flags().StringVarP(&s.out, "output", "o", "", "`folder` for the pages")
	exclusive(cmd, "library", "release")
	exclusive(cmd, "library", "module")
	return cmd
}

// tries bounds how often a draft is corrected.
const tries = 40

// scaffold drafts, generates from the draft in memory, and drafts again without what has no form.
func (a *app) scaffold(s *scaffolding) error {
	man, err := s.readMan()
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "verbsgen-scaffold-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	for range tries {
		res, err := s.draft(temp, man)
		if err != nil {
			return err
		}
		if s.library == "" && len(res.Files) == 0 {
			fmt.Fprintln(a.out, "nothing to draft: the pages decide on every declaration of this header")
			return nil
		}
		objects := slices.Equal(res.Objects, s.objects)
		s.objects = res.Objects
		if s.library != "" && !objects { // module.yaml lists them
			continue
		}
		if err = s.try(temp); err == nil {
			return a.writeDraft(s, temp, res)
		}
		if !s.drop(temp, res.Files, err) {
			return err
		}
	}
	return errors.New("scaffold: the draft does not become a package; write pages for some declarations by hand, and name them with --spec")
}

func (s *scaffolding) readMan() (*scaffold.Man, error) {
	if s.man == "" {
		return nil, nil
	}
	m, err := scaffold.ReadMan(os.DirFS(s.man))
	if err != nil {
		return nil, diag.One(diag.New(diag.ManRead, s.man, 0, 0, "--man", reason(err), "name a folder of man pages"))
	}
	return m, nil
}

// specs are the folders of pages, with that of the draft.
func (s *scaffolding) specs(temp string) input.Source {
	src := s.Source
	src.Specs = append(slices.Clone(s.Specs), temp)
	return src
}

// draft writes a draft into a folder.
func (s *scaffolding) draft(temp string, man *scaffold.Man) (scaffold.Result, error) {
	old, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil {
		return scaffold.Result{}, err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return scaffold.Result{}, err
		}
	}
	note := s.Note
	s.Note = nil // once is enough
	src := s.Source
	if s.library != "" {
		rel, err := cheader.Parse(cheader.Options{Header: s.Header, Include: s.Include, Note: note})
		if err != nil {
			return scaffold.Result{}, err
		}
		m := scaffold.Module{Header: belowInclude(s.Header), Library: s.library, Release: rel, Objects: s.objects}
		if err := os.WriteFile(filepath.Join(temp, "module.yaml"), []byte(m.Text()), 0o666); err != nil {
			return scaffold.Result{}, err
		}
		src = s.specs(temp)
	} else {
		src.Note = note
	}
	rel, sp, err := input.Load(src)
	if err != nil {
		return scaffold.Result{}, err
	}
	res := scaffold.Draft(scaffold.Input{Release: rel, Spec: sp, Name: releaseOf(rel, sp), Man: man, Dropped: s.dropped})
	for _, f := range res.Files {
		if err := os.WriteFile(filepath.Join(temp, f.Name), []byte(f.Text), 0o666); err != nil {
			return scaffold.Result{}, err
		}
	}
	return res, nil
}

// belowInclude guesses by which name a header is included: its path from the last folder that is called include, or its own name.
func belowInclude(header string) string {
	at := filepath.ToSlash(header)
	if i := strings.LastIndex("/"+at, "/include/"); i >= 0 {
		return ("/" + at)[i+len("/include/"):]
	}
	return path.Base(at)
}

// releaseOf is the release that new pages follow.
func releaseOf(rel *api.Release, sp *spec.Spec) string {
	stored, err := api.KnownOf(sp.Module.Facts)
	switch {
	case rel.Release != "":
		return rel.Release
	case err == nil && stored.Newest() != "":
		return stored.Newest()
	}
	return "1.0"
}

// try generates from the draft.
func (s *scaffolding) try(temp string) error {
	rel, sp, err := input.Load(s.specs(temp))
	if err != nil {
		return err
	}
	_, _, err = generate.Run(rel, sp, generate.Options{Package: sp.Module.Package, Header: s.Header, Foreign: true})
	return err
}

// drop notes which declarations of the draft an error is about.
func (s *scaffolding) drop(temp string, files []scaffold.File, err error) bool {
	found := false
	for _, d := range diag.From(err) {
		for _, f := range files {
			if d.File != filepath.Join(temp, f.Name) || d.Line < 1 || d.Line > len(f.Of) {
				continue
			}
			if c := f.Of[d.Line-1]; c != "" && s.dropped[c] == "" {
				s.dropped[c] = strings.NewReplacer(temp+string(filepath.Separator), "", filepath.Dir(s.Header)+string(filepath.Separator), "").
					Replace(d.Problem)
				found = true
			}
		}
	}
	return found
}

// writeDraft copies the draft to where it is wanted, over nothing.
func (a *app) writeDraft(s *scaffolding, temp string, res scaffold.Result) error {
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return diag.One(diag.New(diag.OutputWrite, s.out, 0, 0, "pages", reason(err), "choose another folder with -o"))
	}
	names, err := filepath.Glob(filepath.Join(temp, "*.yaml"))
	if err != nil {
		return err
	}
	for _, name := range names {
		to := filepath.Join(s.out, filepath.Base(name))
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			return diag.One(diag.New(diag.OutputForeign, to, 0, 0, "pages", "exists already", "choose an empty folder with -o"))
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(s.out, filepath.Base(name)), data, 0o666)
		}
		if err != nil {
			return diag.One(diag.New(diag.OutputWrite, s.out, 0, 0, "pages", reason(err), "choose another folder with -o"))
		}
	}
	fmt.Fprintf(a.out, "%s in %s: %s bound, %s skipped\n", plural(len(names), "file"), s.out, plural(res.Bound, "function"),
		plural(res.Skipped, "declaration"))
	a.tellNotes()
	if len(res.Objects) > 0 && s.library == "" {
		fmt.Fprintf(a.out, "new handles, for objects: in module.yaml: %s\n", strings.Join(res.Objects, ", "))
	}
	return nil
}
