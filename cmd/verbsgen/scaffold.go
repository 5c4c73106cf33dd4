package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
	temp              string // folder of the draft
	pages             *scaffold.Man
	dropped           map[string]string
	objects, bound    []string
}

func (a *app) scaffoldCmd() *cobra.Command {
	s := scaffolding{dropped: map[string]string{}}
	cmd := &cobra.Command{
		Use:   "scaffold --header FILE [--man DIR] [--library FILE] -o DIR",
		Short: "draft pages for what no page decides",
		Long: `scaffold writes pages for every declaration that no page binds, skips or lists
as pending: the new ones of a release, or all of a header without pages from the
RDMA family, such as a provider's, umad or rsockets. Other libraries work as far
as their functions have the same shapes.

The pages generate, and the package compiles. scaffold guesses from the header
and the man pages what a function returns, what its parameters mean, which
struct is a handle, and which bit announces a field. Each line with a guess ends
with "# guess". It skips functions for which a wrong guess could do harm, and
functions out of scope, and says why and what to write.

For a new release of rdma-core, give its header, or its name if its facts are
stored. New fields, enumerators and arms go to files that extend existing pages.

For another header, --library names the file that is loaded, such as
libibumad.so.3. Then a module.yaml is written too. Generate with --header FILE
--spec DIR.

--man takes a folder of man pages (*.3, *.3.gz, *.3.md), or one with a man3
folder in it: scaffold reads there what a function returns, and writes one page
for the functions of a man page.`,
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
	cmd.Flags().StringVar(&s.library, "library", "", "`file` of the library of another header, such as libibumad.so.3")
	cmd.Flags().StringVarP(&s.out, "output", "o", "", "`folder` for the pages")
	exclusive(cmd, "library", "release")
	exclusive(cmd, "library", "module")
	return cmd
}

// scaffold drafts, generates from the draft in memory, and drafts again without what has no form.
func (a *app) scaffold(s *scaffolding) error {
	var err error
	if s.pages, err = s.readMan(); err != nil {
		return err
	}
	if s.temp, err = os.MkdirTemp("", "verbsgen-scaffold-"); err != nil {
		return err
	}
	defer os.RemoveAll(s.temp)
	res, err := s.attempt()
	for err != nil && s.drop(res.Files, err) {
		res, err = s.attempt()
	}
	for err != nil && len(res.Bound) > 0 { // an error without a place in the draft
		s.bound = res.Bound
		s.settle(s.bound, map[string]bool{})
		res, err = s.attempt()
	}
	if err != nil && (len(res.Files) == 0 || len(res.Bound) > 0) {
		return s.lasting(err)
	}
	if s.library == "" && len(res.Files) == 0 {
		fmt.Fprintln(a.out, "nothing to draft: the pages decide on every declaration of this header")
		return nil
	}
	return a.writeDraft(s, res)
}

// attempt drafts, and generates from the draft.
func (s *scaffolding) attempt() (scaffold.Result, error) {
	for {
		res, err := s.draft()
		if err != nil {
			return res, err
		}
		if s.library == "" && len(res.Files) == 0 {
			return res, nil
		}
		same := slices.Equal(res.Objects, s.objects)
		s.objects = res.Objects
		if s.library == "" || same { // module.yaml lists them
			return res, s.try()
		}
	}
}

// settle finds the functions of a list without which a package comes about with those that are good. It leaves out the others for good.
func (s *scaffolding) settle(list []string, good map[string]bool) {
	all := s.dropped
	s.dropped = maps.Clone(all)
	for _, f := range list {
		good[f] = true
	}
	for _, f := range s.bound {
		if !good[f] {
			s.dropped[f] = cmp.Or(all[f], "not tried yet")
		}
	}
	_, err := s.attempt()
	s.dropped = all
	switch {
	case err == nil:
	case len(list) == 1:
		delete(good, list[0])
		first, _, _ := strings.Cut(s.without(err.Error()), "\n")
		s.dropped[list[0]] = first
	default:
		for _, f := range list {
			delete(good, f)
		}
		s.settle(list[:len(list)/2], good)
		s.settle(list[len(list)/2:], good)
	}
}

// lasting is an error without the folder of the draft.
func (s *scaffolding) lasting(err error) error {
	list := diag.From(err)
	for i := range list {
		list[i].File = strings.TrimPrefix(list[i].File, s.temp+string(filepath.Separator))
	}
	return cmp.Or(list.Err(), err)
}

// without takes the folders out of a text: that of the draft is gone when somebody reads it.
func (s *scaffolding) without(text string) string {
	return strings.NewReplacer(s.temp+string(filepath.Separator), "", filepath.Dir(s.Header)+string(filepath.Separator), "").Replace(text)
}

func (s *scaffolding) readMan() (*scaffold.Man, error) {
	if s.man == "" {
		return nil, nil
	}
	m, err := scaffold.ReadMan(os.DirFS(s.man))
	if err != nil {
		return nil, diag.One(diag.New(diag.ManRead, s.man, 0, 0, "--man", diag.Reason(err), "name a folder of man pages"))
	}
	return m, nil
}

// specs are the folders of pages, with that of the draft.
func (s *scaffolding) specs() input.Source {
	src := s.Source
	src.Specs = append(slices.Clone(s.Specs), s.temp)
	return src
}

// draft writes a draft into a folder.
func (s *scaffolding) draft() (scaffold.Result, error) {
	old, err := filepath.Glob(filepath.Join(s.temp, "*"))
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
		m := scaffold.Module{Header: belowInclude(s.Header), Library: s.library, Objects: s.objects}
		if m.Release, m.Uses, err = s.read(m.Header, note); err != nil {
			return scaffold.Result{}, err
		}
		if err := os.WriteFile(filepath.Join(s.temp, "module.yaml"), []byte(m.Text()), 0o666); err != nil {
			return scaffold.Result{}, err
		}
		src = s.specs()
	} else {
		src.Note = note
	}
	rel, sp, err := input.Load(src)
	if err != nil {
		return scaffold.Result{}, err
	}
	res := scaffold.Draft(scaffold.Input{Release: rel, Spec: sp, Name: releaseOf(rel, sp), Man: s.pages, Dropped: s.dropped})
	for _, f := range res.Files {
		if err := os.WriteFile(filepath.Join(s.temp, f.Name), []byte(f.Text), 0o666); err != nil {
			return scaffold.Result{}, err
		}
	}
	return res, nil
}

// included finds what a header includes.
var included = regexp.MustCompile(`(?m)^\s*#\s*include\s*[<"](.*)[>"]`)

// read reads the header of a library, and finds which of verbsgen's own modules it uses: those whose headers it includes.
func (s *scaffolding) read(as string, note func(string)) (*api.Release, []string, error) {
	m := &spec.Module{Header: as}
	text, err := os.ReadFile(s.Header)
	var uses []string
	for _, name := range spec.Modules() {
		u, wrong := spec.ModuleOf(name)
		if err == nil && wrong == nil && u.Header != as && bytes.Contains(bytes.Join(included.FindAll(text, -1), nil), []byte("<"+u.Header+">")) {
			uses = append(uses, name)
			m.Uses = append(m.Uses, spec.Use{Name: name})
		}
	}
	opt := input.ReadHeader(m, s.Header, s.Include)
	opt.Note = note
	rel, err := cheader.Parse(opt) // says what is wrong with the file
	return rel, uses, err
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
func (s *scaffolding) try() error {
	rel, sp, err := input.Load(s.specs())
	if err != nil {
		return err
	}
	_, _, err = generate.Run(rel, sp, generate.Options{Package: sp.Module.Package, Header: s.Header, Foreign: true})
	return err
}

// drop notes which declarations of the draft an error is about.
func (s *scaffolding) drop(files []scaffold.File, err error) bool {
	found := false
	for _, d := range diag.From(err) {
		for _, f := range files {
			if d.File != filepath.Join(s.temp, f.Name) || d.Line < 1 || d.Line > len(f.Of) {
				continue
			}
			if c := f.Of[d.Line-1]; c != "" && s.dropped[c] == "" {
				s.dropped[c] = s.without(d.Problem)
				found = true
			}
		}
	}
	return found
}

// writeDraft copies the draft to where it is wanted, over nothing.
func (a *app) writeDraft(s *scaffolding, res scaffold.Result) error {
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return diag.One(diag.New(diag.OutputWrite, s.out, 0, 0, "pages", diag.Reason(err), "choose another folder with -o"))
	}
	names, err := filepath.Glob(filepath.Join(s.temp, "*.yaml"))
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
			return diag.One(diag.New(diag.OutputWrite, s.out, 0, 0, "pages", diag.Reason(err), "choose another folder with -o"))
		}
	}
	fmt.Fprintf(a.out, "%s in %s: %s bound, %s skipped\n", plural(len(names), "file"), s.out, plural(len(res.Bound), "function"),
		plural(res.Skipped, "declaration"))
	a.tellNotes()
	if len(res.Objects) > 0 && s.library == "" {
		fmt.Fprintf(a.out, "new handles, for objects: in module.yaml: %s\n", strings.Join(res.Objects, ", "))
	}
	return nil
}
