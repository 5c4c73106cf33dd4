package spec

import (
	"cmp"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// Each folder with pages is a module.
//
//go:embed *.yaml */*.yaml */shared/*.yaml
var pages embed.FS

// sharedFolder is, in a folder of pages, the one with the rules that several pages take.
const sharedFolder = "shared"

// pendingFile is, beside that of the module, the one YAML file that is no page.
const pendingFile = "pending.yaml"

// source is one YAML file.
type source struct {
	name  string // as told in errors
	data  []byte
	own   bool // a file of the project, which never changes
	layer int  // 0 for the project's own, then the --spec folders from 1 on
}

// Load reads the named files of a folder; without names, all its *.yaml. The error is Errors, with every mistake
// of every file.
func Load(fsys fs.FS, names ...string) (*Spec, error) {
	sources, errs := readAll(fsys, "", names...)
	return loaded(load(parse(sources), errs, ".", nil))
}

// Embedded loads the project's own pages of a module, the default one if the name is empty, and over them those of the given
// folders, in order: a page of a later folder replaces the one of the same name, a file with extends: adds to a page, and pending.yaml
// adds names. Where one of the folders has a module.yaml, the pages are those of another module, and the project's own are no
// part of it. Places in the project's own pages begin with "spec/".
func Embedded(module string, dirs ...string) (*Spec, error) {
	var all []source
	var errs Errors
	at := "." // the folder with a module.yaml
	for i, dir := range dirs {
		prefix := strings.TrimSuffix(dir, "/") + "/"
		sources, more := readAll(regular.DirFS(dir), prefix)
		errs = append(errs, more...)
		if st, err := os.Stat(prefix + sharedFolder); err == nil && st.IsDir() { // the file system of a folder has no others
			shared, more := readAll(regular.DirFS(prefix+sharedFolder), prefix+sharedFolder+"/")
			sources, errs = append(sources, shared...), append(errs, more...)
		}
		for _, s := range sources {
			s.layer = i + 1
			all = append(all, s)
			if !isModule(s.name) {
				continue
			}
			if module != "" || at != "." {
				errs = append(errs, Error{Pos: Pos{File: s.name}, Subject: "module", Code: CodeModule, Problem: "the module is chosen already",
					Fix: "choose one: by its name, or by the one folder with a module.yaml"})
			}
			at = dir
		}
	}
	if at == "." {
		own, more := ownSources(cmp.Or(module, DefaultModule))
		all, errs = append(own, all...), append(errs, more...)
	}
	general, more := readAll(pages, "spec/", sourcesFile)
	return loaded(load(parse(append(general, all...)), append(errs, more...), at, nil))
}

// loaded makes an error of none or many.
func loaded(s *Spec, errs Errors) (*Spec, error) {
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// ownSources reads the project's own pages of a module.
func ownSources(module string) ([]source, Errors) {
	dir, ok := folders()[module]
	if !ok {
		_, errs := ownModule(module)
		return nil, errs
	}
	sub, err := fs.Sub(pages, dir)
	if err != nil {
		return nil, Errors{{Subject: "module " + module, Problem: err.Error(), Code: CodeUnreadable}}
	}
	sources, errs := readAll(sub, path.Join("spec", dir)+"/")
	for i := range sources {
		sources[i].own = true
	}
	return sources, errs
}

// readAll reads the named files, or all *.yaml, of one folder.
func readAll(fsys fs.FS, prefix string, names ...string) ([]source, Errors) {
	var errs Errors
	fail := func(file string, err error, fix string) {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		errs = append(errs, Error{Pos: Pos{File: file}, Subject: "spec", Problem: "cannot be read: " + err.Error(), Fix: fix,
			Code: CodeUnreadable})
	}
	folder := strings.TrimSuffix(prefix, "/")
	if folder == "" {
		folder = "."
	}
	if len(names) == 0 {
		entries, err := fs.ReadDir(fsys, ".")
		if err != nil {
			fail(folder, err, "give a folder of YAML pages")
		}
		for _, e := range entries {
			switch {
			case e.IsDir():
			case strings.HasSuffix(e.Name(), ".yaml"):
				names = append(names, e.Name())
			case strings.HasSuffix(e.Name(), ".yml"):
				errs = append(errs, Error{Pos: Pos{File: prefix + e.Name()}, Subject: "spec", Code: CodePageName,
					Problem: "the file would not be read", Fix: "name it " + strings.TrimSuffix(e.Name(), ".yml") + ".yaml"})
			}
		}
		shared, _ := fs.Glob(fsys, sharedFolder+"/*.yaml") // the pattern is valid
		names = append(names, shared...)
		if err == nil && len(names) == 0 && len(errs) == 0 {
			fail(folder, errors.New("it has no *.yaml"), "give a folder of YAML pages")
		}
	}
	var out []source
	for _, n := range names {
		data, err := regular.ReadFS(fsys, n, maxPage)
		if err != nil {
			fail(prefix+n, err, "")
			continue
		}
		out = append(out, source{name: prefix + n, data: data})
	}
	return out, errs
}

// file is a source and its root; the decoder keeps its mistakes.
type file struct {
	source
	*decoder
	node   *yaml.Node // nil when it cannot be parsed
	page   *Page      // if it is one
	module *Module    // likewise
}

// kind is what the file holds: the name of the file of a kind, keyShared, keyExtends or keyPage.
func (f *file) kind() string {
	switch base := pageName(f.name) + ".yaml"; {
	case base == moduleFile || base == pendingFile || base == sourcesFile:
		return base
	case f.node != nil && isShared(f.node):
		return keyShared
	case f.node != nil && isExtension(f.node):
		return keyExtends
	}
	return keyPage
}

// keyPage is the key of a page with its name.
const keyPage = "page"

// isModule reports whether a file describes a module.
func isModule(name string) bool { return pageName(name)+".yaml" == moduleFile }

// trees are the roots of the project's own files, by name. A process may load these pages several times; nobody changes a tree.
var trees sync.Map

// tree parses the file, unless it was parsed before.
func (f *file) tree() *yaml.Node {
	if n, ok := trees.Load(f.name); ok && f.own {
		return n.(*yaml.Node)
	}
	n := f.root(f.data, pageName(f.name))
	if f.own && n != nil {
		trees.Store(f.name, n)
	}
	return n
}

// parse parses all files and reads the pages, and leaves out those that a page of the same name in a later layer replaces.
func parse(sources []source) []*file {
	last := map[string]int{}
	all := make([]*file, len(sources))
	var general *sourceTable
	parties := slices.Concat(Providers(), libraries)
	for i, src := range sources {
		f := &file{source: src, decoder: &decoder{file: src.name, maxNodes: maxPageNodes}}
		all[i] = f
		switch f.kind() {
		case sourcesFile:
			if f.node = f.tree(); f.node != nil {
				f.general = general
				f.sourceTable(f.node)
				general = f.cited.over(general)
			}
		case moduleFile:
			if f.node = f.tree(); f.node != nil {
				f.module = f.decoder.module(f.node)
				library, _, _ := strings.Cut(f.module.Library, ".so")
				parties = append(parties, f.module.Name, library)
			}
		}
	}
	var wg sync.WaitGroup
	for _, f := range all {
		if f.kind() == sourcesFile || f.kind() == moduleFile {
			continue
		}
		f.general, f.parties = general, parties
		wg.Go(func() {
			if f.node = f.tree(); f.node == nil {
				return
			}
			switch f.kind() {
			case keyPage:
				f.page = f.decoder.page(f.node)
			case keyShared:
				f.sharedFile(f.node)
			}
		})
	}
	wg.Wait()
	for _, f := range all {
		if name := pageName(f.name); f.kind() == keyPage {
			last[name] = max(last[name], f.layer)
		}
	}
	all = slices.DeleteFunc(all, func(f *file) bool { // the project's own extensions are halves of pages
		return (f.kind() == keyPage || f.layer == 0 && f.kind() == keyExtends) && f.layer < last[half(f.name)]
	})
	slices.SortStableFunc(all, func(a, b *file) int {
		return cmp.Or(cmp.Compare(a.layer, b.layer), strings.Compare(pageName(a.name), pageName(b.name)))
	})
	return all
}

// load joins files: first the pages, then what adds to them. Dir is the folder of the module, and above are the modules
// that use it.
func load(files []*file, errs Errors, dir string, above []string) (*Spec, Errors) {
	s := &Spec{layers: map[string]int{}}
	errs = append(errs, s.findModule(files, dir, above)...)
	var pending []Pending
	for _, f := range files {
		s.layers[f.name] = f.layer
		switch {
		case f.node == nil:
		case f.page != nil:
			s.Pages = append(s.Pages, f.page)
		case f.kind() == pendingFile:
			pending = append(pending, f.pending(f.node)...)
		}
	}
	s.extend(files)
	expandShared(s, files)
	errs = append(errs, s.cite()...)
	s.amend(files)
	for _, f := range files {
		if f.page != nil || f.kind() == keyExtends {
			f.unused()
		}
		errs = append(errs, f.errs...)
	}
	s.Pending = s.still(pending)
	for _, p := range s.Pages {
		p.orderRules()
	}
	sort.SliceStable(s.Pages, func(i, j int) bool { return s.Pages[i].Page < s.Pages[j].Page })
	s.index()
	errs = append(errs, s.nullFixes()...)
	errs = append(errs, s.claims()...)
	errs = append(errs, s.wanted()...)
	if err := errs.sorted(); err != nil {
		return nil, err.(Errors)
	}
	return s, nil
}

// extend reads what files add to the pages, those of one page in their order.
func (s *Spec) extend(files []*file) {
	more := map[*Page][]*file{}
	for _, f := range files {
		if f.kind() == keyExtends {
			if p := f.extended(f.node, s.Pages); p != nil {
				more[p] = append(more[p], f)
			}
		}
	}
	var wg sync.WaitGroup
	for p, list := range more {
		wg.Go(func() {
			for _, f := range list {
				f.extension(f.node, p, files)
			}
		})
	}
	wg.Wait()
}

// findModule finds the module that the pages are of: that of the module.yaml among them, or else the default one.
func (s *Spec) findModule(files []*file, dir string, above []string) (errs Errors) {
	if s.Module = moduleOf(files); s.Module != nil {
		s.Module.given = true
	} else {
		if s.Module, errs = ownModule(DefaultModule); s.Module == nil {
			s.Module = &Module{Name: DefaultModule}
		}
	}
	return append(errs, s.Module.use(dir, above)...)
}

// moduleOf is the module that files are of, or nil.
func moduleOf(files []*file) (m *Module) {
	for _, f := range files {
		m = cmp.Or(f.module, m)
	}
	return m
}

// half is the name of the page that a file is a half of.
func half(name string) string { return strings.TrimSuffix(pageName(name), ".go") }
