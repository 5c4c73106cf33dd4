// Package input reads what packages are generated from: the facts of a header or a release, and pages; and go:generate lines, which name
// them.
package input

import (
	"cmp"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cheader"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Source says where facts and pages come from.
type Source struct {
	Module  string       // of verbsgen's own; empty: the default one, or that of Specs
	Release string       // of known facts; empty: the newest, unless Header is given
	Header  string       // that of the module
	Include []string     // folders for what it includes
	Specs   []string     // folders of pages laid over the own ones
	Note    func(string) // is told which layouts of the header no compiler confirms; nil: none is asked
	Edited  bool         // the own pages are those of a clone, where somebody may be changing them
}

// Below makes the relative paths count from a folder.
func (s *Source) Below(dir string) {
	s.Header = Below(dir, s.Header)
	for i := range s.Include {
		s.Include[i] = Below(dir, s.Include[i])
	}
	for i := range s.Specs {
		s.Specs[i] = Below(dir, s.Specs[i])
	}
}

// Below makes a relative path count from a folder; an empty one stays empty.
func Below(dir, p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

// Facts returns the facts of a header of a module, of a known release, or of the newest one.
func Facts(src Source, m *spec.Module) (*api.Release, error) {
	if src.Header != "" {
		opt := ReadHeader(m, src.Header, src.Include)
		opt.Note = src.Note
		return cheader.Parse(opt)
	}
	stored, err := api.KnownOf(m.Facts)
	if err != nil {
		return nil, err
	}
	name := cmp.Or(releaseName(stored, src.Release), stored.Newest())
	if name == "" {
		return nil, diag.One(diag.At(diag.ReleaseUnknown, m.Pos, "module "+m.Name,
			"verbsgen has no facts of its header", "name the header with --header"))
	}
	rel, err := stored.Load(name)
	var unknown *api.UnknownError
	if errors.As(err, &unknown) {
		return nil, diag.One(diag.New(diag.ReleaseUnknown, "", 0, 0, "release "+name, "this release is not known",
			nearestFix(unknown)))
	}
	return rel, err
}

// releaseName is the known release that a name means: v65.0 and 65 are 65.0. All releases with one first number declare the same.
func releaseName(stored *api.Known, name string) string {
	name = strings.TrimPrefix(name, "v")
	known := stored.Releases()
	if i := slices.IndexFunc(known, func(r string) bool { return strings.HasPrefix(r, name+".") }); i >= 0 && !slices.Contains(known, name) {
		return known[i]
	}
	return name
}

// ReadHeader is how the header of a module is read. One that includes those of other modules finds them in the tree that it stands in.
func ReadHeader(m *spec.Module, header string, include []string) cheader.Options {
	uses, folder := len(m.Uses) > 0, path.Dir(m.Header)
	opt := cheader.Options{Header: header, Include: include, Own: func(file string, near bool) bool {
		below := folder != "." && strings.HasSuffix("/"+path.Dir(filepath.ToSlash(file)), "/"+folder)
		return file == header || m.IsHeader(file) || !uses && (near || below)
	}}
	if root, ok := strings.CutSuffix(filepath.ToSlash(header), "/"+m.Header); ok && uses {
		opt.Include = append(slices.Clone(include), root)
	}
	return opt
}

// nearestFix names the releases that are known, and for a point release the one that declares the same.
func nearestFix(err *api.UnknownError) string {
	major, _, _ := strings.Cut(err.Release, ".")
	for _, r := range err.Known {
		if m, _, _ := strings.Cut(r, "."); m == major {
			return "use " + r + " (all " + m + ".x declare the same)"
		}
	}
	return "the known releases are " + api.Ranges(err.Known) + "; read its header with --header"
}

// CheckNames holds pages of others, and the own ones in a clone, against the names of all known releases and of the facts at hand. For the
// own pages of an installed command a test has done so, and a header is held against all known releases first. The releases of api.Cover
// have all names that any release has.
func CheckNames(src Source, sp *spec.Spec, rels ...*api.Release) error {
	if len(src.Specs) == 0 && (!src.Edited || src.Header != "") {
		return nil
	}
	stored, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		return err
	}
	cover, err := stored.Cover()
	if err != nil {
		return err
	}
	for _, name := range cover {
		rel, err := stored.Load(name)
		if err != nil {
			return err
		}
		rels = append(rels, rel)
	}
	return sp.CheckNames(rels...)
}

// Load returns the facts, and the pages, which are read at the same time.
func Load(src Source) (*api.Release, *spec.Spec, error) {
	m, err := spec.ModuleOf(src.Module, src.Specs...)
	if err != nil {
		return nil, nil, err
	}
	var sp *spec.Spec
	read := diag.Beside("reading the pages", func() (err error) {
		sp, err = spec.Embedded(src.Module, src.Specs...)
		return err
	})
	rel, err := Facts(src, m)
	if err := errors.Join(err, <-read); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(CheckNames(src, sp, rel), checkHeaders(src, m, rel)); err != nil {
		return nil, nil, err
	}
	return rel, sp, nil
}

// checkHeaders compares the headers that the module.yaml of somebody else names with the one that was read.
func checkHeaders(src Source, m *spec.Module, rel *api.Release) error {
	if src.Header == "" || m.Facts != "" {
		return nil
	}
	var errs spec.Errors
	wrong := func(key, name, problem, fix string) {
		errs = append(errs, spec.Error{Pos: m.At(key, name), Subject: "module " + m.Name, Problem: problem, Fix: fix, Code: spec.CodeModule})
	}
	if path.Base(filepath.ToSlash(src.Header)) != m.HeaderBase() {
		wrong("header", m.Header, "header: the module is about "+m.Header+", and the header that was read is "+src.Header,
			"correct it, or --header")
	}
	for _, h := range m.Headers {
		declares := false
		for _, pos := range api.Positions(rel) {
			declares = declares || pos.File == h || strings.HasSuffix(filepath.ToSlash(pos.File), "/"+h)
		}
		if !declares {
			wrong("headers", h, "headers: nothing that was read is declared in "+h, "correct it, or remove it")
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}
