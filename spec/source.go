package spec

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Source is a place in the sources of a project that decides what a rule says, or a measurement. Its JSON is part of the rules as data.
type Source struct {
	Project string   `json:"project,omitempty" page:"project"` // rdma-core, linux, or another one that the pages of a module are about
	Release []string `json:"releases,omitempty" page:"tag"`    // tags, as in "v6.12.117", in which Func answers the same
	Commit  string   `json:"commit,omitempty" page:"commit"`   // in place of Release: the first digits of one
	File    string   `json:"file,omitempty" page:"must,path"`  // from the root of the project
	// Changed says what differs in Func between the releases, and why the answer is the same; empty where they have one text.
	Changed string `json:"-"`
	// Func is the function, macro, struct, enum or table that decides; empty for a man page, and where it is not known yet.
	Func string `json:"func,omitempty" page:"cname"`

	Run     string   `json:"run,omitempty" page:"must"`              // of a measurement: the device that gave the answer; all of the above is empty
	Kernels []string `json:"kernels,omitempty" page:"must,measured"` // of a measurement: the kernels, or ranges of them

	Pos Pos `json:"-"`
}

// Sources are what one statement rests on.
type Sources []Source

// Projects and devices that sources name.
const (
	ProjectRDMACore = "rdma-core"
	ProjectLinux    = "linux"
	RunRXE          = "rxe"
)

// runs names the devices of measurements.
var runs = map[string]string{RunRXE: "soft-RoCE"}

// String returns the source as messages name it: "linux v6.1.192, v6.12.117 drivers/infiniband/core/verbs.c: ib_create_qp_user".
func (s *Source) String() string {
	if s.Run != "" {
		return "measured on " + runs[s.Run] + " of linux " + strings.Join(s.Kernels, ", ")
	}
	out := s.Project + " "
	if s.Commit != "" {
		out += "commit " + s.Commit
	} else {
		out += strings.Join(s.Release, ", ")
	}
	out += " " + s.File
	if s.Func != "" {
		out += ": " + s.Func
	}
	return out
}

// String returns all of them, with semicolons between.
func (l Sources) String() string {
	texts := make([]string, len(l))
	for i := range l {
		texts[i] = l[i].String()
	}
	return strings.Join(texts, "; ")
}

// Measured reports whether one of them is a measurement.
func (l Sources) Measured() bool {
	return slices.ContainsFunc(l, func(s Source) bool { return s.Run != "" })
}

// IsManPage reports whether the source is a man page, which has no functions.
func (s *Source) IsManPage() bool { return manPage.MatchString(s.File) }

// SameAs reports whether two sources are equal, wherever they are written.
func (s *Source) SameAs(o *Source) bool {
	return s.Project == o.Project && slices.Equal(s.Release, o.Release) && s.Commit == o.Commit && s.File == o.File && s.Func == o.Func &&
		s.Run == o.Run && slices.Equal(s.Kernels, o.Kernels)
}

var manPage = regexp.MustCompile(`\.[1-9](\.md)?$`)

// sources reads one source, or a list of them.
func (d *decoder) sources(to *Sources) reader {
	return func(n *yaml.Node, at place) {
		list := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			d.notEmpty(n, at)
			list = n.Content
		}
		for _, e := range list {
			s, ok := d.source(e, at)
			if !ok {
				continue
			}
			if slices.ContainsFunc(*to, func(o Source) bool { return s.SameAs(&o) }) {
				d.add(e, CodeDuplicateKey, at.subject, at.key+": "+s.String()+" twice in the list", "keep one of them")
			}
			*to = append(*to, s)
		}
	}
}

// sourceTable has the sources that a file gives a key.
type sourceTable struct {
	at   map[string]*Source
	pos  map[string]Pos // of the keys
	used sync.Map
}

// keySources is the key of a file with its table of sources, and the name of the file with one for all pages.
const (
	keySources  = "sources"
	sourcesFile = "sources.yaml"
)

var sourceKey = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

// sourceTable reads the sources of a file before all else in it. The key of a source is its function, if it has no func.
func (d *decoder) sourceTable(n *yaml.Node) {
	d.cited = &sourceTable{at: map[string]*Source{}, pos: map[string]Pos{}}
	if n == nil {
		return
	}
	d.named(func(name string, k, v *yaml.Node) {
		at := place{name, ""}
		switch {
		case !sourceKey.MatchString(name):
			d.add(k, CodeValue, show(name), "this is no key of a source", "write letters, digits, dots, dashes and underscores")
			return
		case d.general != nil && d.general.at[name] != nil:
			d.add(k, CodeDuplicateName, name, "this source is already at "+d.general.pos[name].String(), "leave it out, or take another key")
			return
		case v.Kind != yaml.MappingNode:
			d.wrongType(v, at, "a mapping")
			return
		}
		s, ok := d.source(v, at)
		if !ok {
			return
		}
		if s.Func == "" && s.Run == "" && !s.IsManPage() {
			s.Func = name
		}
		d.cited.at[name], d.cited.pos[name] = &s, d.pos(k)
	})(n, place{keySources, ""})
}

// over returns the table with the sources of another one too.
func (t *sourceTable) over(more *sourceTable) *sourceTable {
	if more != nil {
		maps.Copy(t.at, more.at)
		maps.Copy(t.pos, more.pos)
	}
	return t
}

// citation finds the source that a key stands for.
func (d *decoder) citation(n *yaml.Node, at place) (Source, bool) {
	var name string
	if d.text(&name)(n, at); name == "" {
		return Source{}, false
	}
	var known []string
	for _, t := range []*sourceTable{d.writes(n).cited, d.general} {
		if t == nil {
			continue
		}
		if s := t.at[name]; s != nil {
			t.used.Store(name, true)
			return *s, true
		}
		known = append(known, sortedKeys(t.at)...)
	}
	d.add(n, CodeUnknownName, at.subject, at.key+": there is no source "+show(name),
		cmp.Or(DidYouMean(name, known), "list it under "+keySources+": of this file, or write its file and its func"))
	return Source{}, false
}

// unused notes the sources of a page that nothing in it cites.
func (d *decoder) unused() {
	if d.cited == nil || len(d.errs) > 0 {
		return
	}
	for _, name := range sortedKeys(d.cited.at) {
		if _, used := d.cited.used.Load(name); !used {
			d.errs = append(d.errs, Error{Pos: d.cited.pos[name], Subject: name, Code: CodeUnknownName,
				Problem: "nothing in the file cites this source", Fix: "remove it, or correct its key"})
		}
	}
}

// source reads one source: that of a key, or one that is written out, which is a measurement if it has the key run. What rdma-core's
// own folders have is of rdma-core, and of the release of the page.
func (d *decoder) source(n *yaml.Node, at place) (s Source, ok bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return d.citation(n, at)
	}
	s.Pos = d.pos(n)
	before := len(d.errs)
	keys := d.keys(&s)
	if n.Kind == yaml.MappingNode && hasKey(n, "run") {
		d.object(n, at, keys[len(keys)-2:])
		return s, len(d.errs) == before
	}
	d.object(n, at, keys[:len(keys)-2])
	if s.Project == "" && owner(s.File) != "" {
		s.Project = ProjectRDMACore
	}
	if tag := d.writes(n).tag; s.Project == ProjectRDMACore && len(s.Release) == 0 && s.Commit == "" && tag != "" {
		s.Release = []string{tag}
	}
	switch {
	case len(d.errs) > before:
		return s, false
	case s.Project == "":
		d.add(n, CodeMissingKey, at.subject, at.key+": key project is missing", "write linux, or the name of another project")
		return s, false
	case (len(s.Release) == 0) == (s.Commit == ""):
		d.add(n, CodeMissingKey, at.subject, at.key+": a source has either release or commit", "give one of them")
		return s, false
	case s.Func != "" && s.IsManPage():
		d.add(n, CodeValue, at.subject, at.key+": a man page has no functions", "leave func out")
		return s, false
	}
	return s, true
}

func isKernels(s string) bool {
	_, ok := ParseKernels(s)
	return ok
}

// oneOrMore reads one text of some form, or a list of them.
func (d *decoder) oneOrMore(to *[]string, f form) reader {
	one := func(to *string) reader { return d.matching(to, f) }
	return func(n *yaml.Node, at place) {
		if n.Kind == yaml.SequenceNode {
			d.many(to, one)(n, at)
			return
		}
		var s string
		if one(&s)(n, at); s != "" {
			*to = []string{s}
		}
	}
}
