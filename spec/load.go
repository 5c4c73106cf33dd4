package spec

import (
	"bytes"
	"embed"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/internal/regular"
)

//go:embed *.yaml
var pages embed.FS

// pendingFile is the one YAML file that is no page.
const pendingFile = "pending.yaml"

// source is one YAML file.
type source struct {
	name string // as told in errors
	data []byte
	over bool // laid over the project's own
}

// Embedded loads the project's own pages. Places in it begin with "spec/".
func Embedded() (*Spec, error) { return Overlay() }

// Load reads the named files of a folder; without names, all its *.yaml. The error is Errors, with every mistake
// of every file.
func Load(fsys fs.FS, names ...string) (*Spec, error) {
	sources, errs := readAll(fsys, "", names...)
	return load(sources, errs)
}

// Overlay loads the project's own pages and over them those of the given folders, in order: a page (and
// pending.yaml) of a later folder replaces the one of the same name.
func Overlay(dirs ...string) (*Spec, error) {
	all, errs := readAll(pages, "spec/")
	at := map[string]int{}
	for i, s := range all {
		at[pageName(s.name)] = i
	}
	for _, dir := range dirs {
		sources, more := readAll(regular.DirFS(dir), strings.TrimSuffix(dir, "/")+"/")
		errs = append(errs, more...)
		for _, s := range sources {
			s.over = true
			if i, known := at[pageName(s.name)]; known {
				all[i] = s
				continue
			}
			at[pageName(s.name)] = len(all)
			all = append(all, s)
		}
	}
	return load(all, errs)
}

// readAll reads the named files, or all *.yaml, of one folder.
func readAll(fsys fs.FS, prefix string, names ...string) ([]source, Errors) {
	var errs Errors
	fail := func(file string, err error, fix string) {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		errs = append(errs, Error{Pos: Pos{File: file}, Subject: "spec", Problem: "cannot be read: " + err.Error(), Fix: fix, Code: CodeUnreadable})
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

// load decodes all files and joins them.
func load(sources []source, errs Errors) (*Spec, error) {
	s := &Spec{}
	var own []Pending // of the project
	var over []*Page  // laid over its pages
	sort.SliceStable(sources, func(i, j int) bool { return pageName(sources[i].name) < pageName(sources[j].name) })
	for _, src := range sources {
		d := &decoder{file: src.name, maxNodes: maxPageNodes}
		if root := d.root(src.data, pageName(src.name)); root != nil {
			switch {
			case pageName(src.name)+".yaml" != pendingFile:
				p := d.page(root)
				s.Pages = append(s.Pages, p)
				if p.over = src.over; p.over {
					over = append(over, p)
				}
			case src.over:
				s.Pending = append(s.Pending, d.pending(root)...)
			default:
				own = append(own, d.pending(root)...)
			}
		}
		errs = append(errs, d.errs...)
	}
	s.Pending = append(s.Pending, still(own, over)...)
	errs = append(errs, s.index()...)
	if err := errs.sorted(); err != nil {
		return nil, err
	}
	return s, nil
}

// still gives the names that are pending yet when pages laid over the project's own decide on some of them.
func still(pending []Pending, over []*Page) []Pending {
	decided := map[string]bool{}
	for _, p := range over {
		for i := range p.Verbs {
			decided[p.Verbs[i].C] = true
		}
		for i := range p.Records {
			decided[p.Records[i].C] = true
		}
		for i := range p.Objects {
			decided[p.Objects[i].C] = true
		}
		for i := range p.Flags {
			decided[p.Flags[i].Enum] = true
			for _, c := range slices.Concat(p.Flags[i].Members, p.Flags[i].Ranges) {
				decided[c] = true
			}
		}
		for i := range p.Enums {
			decided[p.Enums[i].Enum] = true
			for _, c := range p.Enums[i].Members {
				decided[c] = true
			}
		}
		for i := range p.Skip {
			decided[bare(p.Skip[i].C)] = true
		}
	}
	return slices.DeleteFunc(pending, func(p Pending) bool { return decided[bare(p.C)] })
}

// root parses a file into its one node; nil when it has none, with the reason noted.
func (d *decoder) root(data []byte, subject string) *yaml.Node {
	fail := func(line, col int, code, problem, fix string) *yaml.Node {
		d.errs = append(d.errs, Error{Pos: Pos{d.file, line, col}, Subject: subject, Problem: problem, Fix: fix, Code: code})
		return nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		line, col := badByte(data)
		return fail(line, col, CodeEncoding, "the file is not UTF-8 here", "save it as UTF-8")
	}
	if line, col, problem, found := tooMuch(string(data), d.maxNodes); found {
		return fail(line, col, CodeTooMuch, problem, "split it, or write it another way")
	}
	tabs := false
	for i, l := range strings.Split(string(data), "\n") {
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; strings.Contains(indent, "\t") && strings.TrimSpace(l) != "" {
			fail(i+1, strings.IndexByte(indent, '\t')+1, CodeTab, "a tab indents this line", "use spaces")
			tabs = true
		}
	}
	if tabs {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if err == io.EOF || err == nil && (len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null") {
		return fail(1, 1, CodeEmpty, "the file is empty", "write it, or remove the file")
	}
	if err == nil {
		if err = dec.Decode(&second); err == nil {
			return fail(max(second.Line, 1), max(second.Column, 1), CodeSyntax, "a second document begins", "one file holds one document")
		}
	}
	if err != io.EOF {
		line, col, problem, fix := notYAML(data, err)
		return fail(line, col, CodeSyntax, problem, fix)
	}
	return doc.Content[0]
}

// badByte finds the first byte that is not UTF-8.
func badByte(data []byte) (line, col int) {
	line, col = 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		data = data[size:]
	}
	return line, col
}
