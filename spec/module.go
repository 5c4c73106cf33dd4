package spec

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// Module is what a set of pages is about: a header, the library behind it, and the modules that it stands on. It is the file
// module.yaml beside the pages.
type Module struct {
	Entry
	Name    string   `page:"key=module,must,module"` // "rdmacm"
	Header  string   `page:"must"`                   // as programs include it: "rdma/rdma_cma.h"
	Headers []string // that it includes and that are a part of it
	Library string   `page:"must,file"` // file that is loaded at run time: "librdmacm.so.1"
	Probe   string   `page:"must"`      // function by which the library is told from others
	Install string   // which packages have the library
	Package string   `page:"must"`   // usual name of the Go package
	Import  string   `page:"import"` // path under which other packages import it
	Root    string   // object that all others are made from, or empty
	Facts   string   `page:"facts"` // stored facts of package api; empty where none are stored
	Serial  bool     // calls of the library must not run beside each other
	Source  string   // folder of rdma-core's source with the header and the versions of the symbols
	Uses    []Use    `page:"flat"` // by name
	// Families are the parts of the library by purpose, in the order in which a program needs them.
	Families []Family `page:"flat"`
	Begin    string   // the first calls of a program, in words
	Words    *Words   `page:"-"` // of rules: its own, and those of the modules that it stands on

	own   Words
	given bool // by a file beside the pages
}

// Family is a part of a library by purpose, such as device memory.
type Family struct {
	Name  string   `page:"name"`
	Doc   string   `page:"must"` // what a program does with it
	Verbs []string `page:"must"` // its C functions, as globs
	Pos   Pos
}

// Has reports whether a C function belongs to the family.
func (f *Family) Has(c string) bool {
	return slices.ContainsFunc(f.Verbs, func(glob string) bool {
		ok, _ := path.Match(glob, c)
		return ok
	})
}

// FamilyOf returns the family of a C function: the first with a pattern for it, or that of the function which ends the object that it takes
// first. It returns nil for a function without one.
func (s *Spec) FamilyOf(c string) *Family {
	families := s.Module.Families
	if i := slices.IndexFunc(families, func(f Family) bool { return f.Has(c) }); i >= 0 {
		return &families[i]
	}
	if v := s.VerbByC(c); v != nil && len(v.Params) > 0 {
		if o := named[Object](s, v.Params[0].Type); o != nil && o.Destroy != c {
			return s.FamilyOf(o.Destroy)
		}
	}
	return nil
}

// CheckFamilies returns an error for a name that is not one of a family.
func (m *Module) CheckFamilies(names []string) error {
	var known []string
	for _, f := range m.Families {
		known = append(known, f.Name)
	}
	var errs Errors
	for _, name := range names {
		if !slices.Contains(known, name) {
			errs = append(errs, Error{Subject: "family " + show(name), Problem: "module " + m.Name + " has no family of this name",
				Fix: cmp.Or(DidYouMean(name, known), "the families are "+strings.Join(known, ", ")), Code: CodeUnknownName})
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// Use is a module that another one stands on: pages may name its objects and records, as in verbs.PD.
type Use struct {
	Name   string `page:"name"`
	Import string `page:"import"` // of the Go package
	Spec   *Spec  `page:"-"`      // its pages
	Pos    Pos

	Folder string `page:"key=pages"` // of the pages, where verbsgen has none of the name
}

// DefaultModule is the module of pages without a module.yaml.
const DefaultModule = "verbs"

// moduleFile describes the module of the pages beside it.
const moduleFile = "module.yaml"

// folders are those of the project's own modules, by name.
var folders = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	entries, err := fs.ReadDir(pages, ".")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		if e.IsDir() {
			found[e.Name()] = e.Name()
		}
	}
	return found
})

// Modules lists the names of the project's own modules.
func Modules() []string { return slices.Sorted(maps.Keys(folders())) }

// ownModule reads the file of one of the project's own modules, without the modules that it stands on.
func ownModule(name string) (*Module, Errors) {
	dir, ok := folders()[name]
	if !ok {
		return nil, Errors{{Subject: "module " + show(name), Problem: "verbsgen has no module of this name",
			Fix: cmp.Or(DidYouMean(name, Modules()), "the modules are "+strings.Join(Modules(), ", ")), Code: CodeUnknownName}}
	}
	data, err := fs.ReadFile(pages, path.Join(dir, moduleFile))
	if err != nil {
		return nil, Errors{{Pos: Pos{File: path.Join("spec", dir, moduleFile)}, Subject: "module",
			Problem: "cannot be read: " + err.Error(), Code: CodeUnreadable}}
	}
	return readModule(path.Join("spec", dir, moduleFile), data)
}

// readModule reads a module.yaml; the module is nil if it is not YAML.
func readModule(file string, data []byte) (*Module, Errors) {
	d := &decoder{file: file, maxNodes: maxPageNodes}
	n := d.root(data, "module")
	if n == nil {
		return nil, d.errs
	}
	return d.module(n), d.errs
}

// Prefixes are the prefixes of the module's C names, such as "ibv_".
func (m *Module) Prefixes() []string { return m.own.prefixes }

// ModuleOf returns the module whose pages Embedded loads, without the modules that it stands on.
func ModuleOf(module string, dirs ...string) (*Module, error) {
	var found *Module
	var errs Errors
	for _, dir := range dirs {
		data, err := regular.ReadFS(regular.DirFS(dir), moduleFile, maxPage)
		if err != nil {
			continue // Embedded says what is wrong
		}
		m, more := readModule(strings.TrimSuffix(dir, "/")+"/"+moduleFile, data)
		found, errs = cmp.Or(m, found), append(errs, more...)
	}
	if found == nil && len(errs) == 0 {
		found, errs = ownModule(cmp.Or(module, DefaultModule))
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return found, nil
}

// verbsWords are the words of the default module, for facts that no module is given for.
var verbsWords = sync.OnceValue(func() *Words {
	m, errs := ownModule(DefaultModule)
	if len(errs) > 0 {
		panic(errs) // it is embedded
	}
	return &m.own
})

// use loads the pages of the modules that m uses. Folders of pages count from dir, that of m's own file. Above are the modules that
// use m.
func (m *Module) use(dir string, above []string) Errors {
	var errs Errors
	all := []*Words{&m.own}
	for i := range m.Uses {
		u := &m.Uses[i]
		fail := func(problem, fix string) {
			errs = append(errs, u.mistake(problem, fix))
		}
		_, own := folders()[u.Name]
		switch {
		case slices.Contains(above, u.Name) || u.Name == m.Name:
			fail("it stands on "+m.Name+" itself", "let modules stand on others in one direction")
			continue
		case u.Folder != "" && own:
			fail("verbsgen has a module of this name", "remove pages:, or give the module another name")
			continue
		case u.Folder == "" && !own:
			fail("verbsgen has no module of this name", cmp.Or(DidYouMean(u.Name, Modules()), "name the folder of its pages under pages:"))
			continue
		}
		s, err := u.load(path.Join(dir, u.Folder), own, append(slices.Clone(above), m.Name))
		if err != nil {
			errs = append(errs, err...)
			continue
		}
		u.Spec = s
		if u.Import == "" {
			u.Import = s.Module.Import
		}
		if u.Import == "" {
			fail("its module.yaml has no import:, the path of its Go package", "add it there, or under uses:")
		}
		all = append(all, s.published())
	}
	m.Words = joined(all)
	return errs
}

// ownUsed has the project's own modules that others stand on, by name: verbsgen check reads each once.
var ownUsed sync.Map

// load loads the pages: the project's own ones, or those in a folder.
func (u *Use) load(at string, own bool, above []string) (*Spec, Errors) {
	if own {
		if s, ok := ownUsed.Load(u.Name); ok {
			return s.(*Spec), nil
		}
		s, err := Embedded(u.Name)
		var errs Errors
		if err != nil && !errors.As(err, &errs) {
			errs = Errors{u.mistake(err.Error(), "")}
		}
		if err == nil {
			ownUsed.Store(u.Name, s)
		}
		return s, errs
	}
	sources, errs := readAll(regular.DirFS(at), at+"/")
	if len(errs) > 0 {
		return nil, Errors{u.mistake("pages: "+errs[0].Pos.File+" "+errs[0].Problem, "correct pages:, or the folder")}
	}
	files := parse(sources)
	if name := cmp.Or(moduleOf(files), &Module{Name: DefaultModule}).Name; name != u.Name && name != "" {
		return nil, Errors{u.mistake(fmt.Sprintf("the pages in %s are those of module %s", u.Folder, show(name)), "correct the name")}
	}
	return load(files, nil, at, above)
}

// mistake is one at the place of the module's name.
func (u *Use) mistake(problem, fix string) Error {
	return Error{Pos: u.Pos, Subject: u.Name, Problem: problem, Fix: fix, Code: CodeModule}
}

// module reads the root of module.yaml.
func (d *decoder) module(n *yaml.Node) *Module {
	m := &Module{}
	defer d.marking(&m.Entry)()
	m.Pos = d.pos(n)
	d.object(n, place{"module", ""}, append(d.keys(m), []key{
		{"prefixes", false, d.many(&m.own.prefixes, d.text)},
		{"objects", false, d.objectWords(&m.own)},
		{"properties", false, d.textMap(&m.own.types, d.operand)},
		{"synonyms", false, d.textMap(&m.own.synonyms, d.operand)},
		{"capabilities", false, d.capWords(&m.own)},
	}...))
	slices.SortFunc(m.Uses, func(a, b Use) int { return strings.Compare(a.Name, b.Name) })
	if m.Package != "" && (!token.IsIdentifier(m.Package) || m.Package == "main" || m.Package == "_") {
		d.add(n, CodeGoName, "module", "package: "+show(m.Package)+" is no name of a Go package that others can import",
			"write a name of small letters")
	}
	return m
}

// objectWords reads the structs that are used through handles, each with its properties.
func (d *decoder) objectWords(to *Words) reader {
	return func(n *yaml.Node, at place) {
		to.objects = map[string][]string{}
		d.pairs(n, at, func(k, v *yaml.Node) {
			props := []string{}
			d.list(v, place{at.subject, at.key + "." + k.Value}, func(e *yaml.Node) {
				var s string
				if d.text(&s)(e, place{at.subject, k.Value}); s != "" {
					props = append(props, s)
				}
			})
			to.objects[k.Value] = props
			d.mark(k, at.key, k.Value)
		})
	}
}

// capWords reads the first words of capability paths.
func (d *decoder) capWords(to *Words) reader {
	return d.named(func(root string, k, v *yaml.Node) {
		var c Capability
		d.read(&c, v, v, place{"module", "capabilities." + root})
		if to.caps == nil {
			to.caps = map[string]Capability{}
		}
		to.caps[root] = c
		d.mark(k, "capabilities", root)
	})
}

// IsHeader reports whether a file, by its name as included or by its path, is a header of the module.
func (m *Module) IsHeader(file string) bool {
	return slices.ContainsFunc(append([]string{m.Header}, m.Headers...), func(h string) bool {
		return file == h || strings.HasSuffix(file, "/"+h)
	})
}

// HeaderBase is the name of the header without its folder.
func (m *Module) HeaderBase() string { return path.Base(m.Header) }

// UseOf returns the module of a name that m stands on, or nil.
func (m *Module) UseOf(name string) *Use {
	for i := range m.Uses {
		if m.Uses[i].Name == name {
			return &m.Uses[i]
		}
	}
	return nil
}
