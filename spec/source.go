package spec

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Source is a place in the sources of a project that decides what a rule says, or a measurement.
type Source struct {
	Project string   // rdma-core, linux, or another one that the pages of a module are about
	Release []string // tags, as in "v6.12.117", in which File and Func say the same
	Commit  string   // in place of Release: the first digits of one
	File    string   // from the root of the project
	Func    string   // the function, macro, struct, enum or table that decides; empty for a man page, and where it is not known yet

	Run     string   // of a measurement: the device that gave the answer; all of the above is empty
	Kernels []string // of a measurement: the kernels, or ranges of them

	Pos Pos
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

var (
	manPage     = regexp.MustCompile(`\.[1-9](\.md)?$`)
	projectName = regexp.MustCompile(`^[a-z][a-z0-9_.-]*$`)
	releaseTag  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	commitStart = regexp.MustCompile(`^[0-9a-f]{12,40}$`)
	sourceFile  = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_.-]+)*$`)
	cName       = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// sources reads one source, or a list of them.
func (d *decoder) sources(to *Sources) reader {
	return func(n *yaml.Node, at place) {
		list := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			if list = n.Content; len(list) == 0 {
				d.add(n, CodeValue, at.subject, at.key+": an empty list", "name one at least, or leave the key out")
			}
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

// source reads one source: a measurement if it has the key run.
func (d *decoder) source(n *yaml.Node, at place) (s Source, ok bool) {
	s.Pos = d.pos(n)
	before := len(d.errs)
	if n.Kind == yaml.MappingNode && hasKey(n, "run") {
		d.object(n, at, []key{{"run", true, d.oneOf(&s.Run, RunRXE)}, {"kernels", true, d.oneOrMore(&s.Kernels, isKernels, `write ">=6.12" or "6.1..7.2"`)}})
		return s, len(d.errs) == before
	}
	d.object(n, at, []key{
		{"project", true, d.formed(&s.Project, projectName.MatchString, "write rdma-core, linux, or the name of another project")},
		{"release", false, d.oneOrMore(&s.Release, releaseTag.MatchString, "write a tag, such as v6.12.117")},
		{"commit", false, d.formed(&s.Commit, commitStart.MatchString, "write at least 12 of the digits of a commit")},
		{"file", true, d.formed(&s.File, sourceFile.MatchString, "write its path from the root of the project")},
		{"func", false, d.formed(&s.Func, cName.MatchString, "write the name of one function, macro, struct, enum or table")},
	})
	switch {
	case len(d.errs) > before:
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

// matching reads a text of some form.
func (d *decoder) formed(to *string, form func(string) bool, fix string) reader {
	return func(n *yaml.Node, at place) {
		var s string
		if d.text(&s)(n, at); s == "" {
			return
		}
		if !form(s) {
			d.add(n, CodeValue, at.subject, at.key+": "+show(s)+" has not the form of one", fix)
			return
		}
		*to = s
	}
}

// oneOrMore reads one text of some form, or a list of them.
func (d *decoder) oneOrMore(to *[]string, form func(string) bool, fix string) reader {
	one := func(to *string) reader { return d.formed(to, form, fix) }
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
