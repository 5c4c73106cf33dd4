package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// ends are the releases that every error is read at: the floor, and the newest release that pages cite.
type ends struct {
	linux, core [2]string
	came        api.Index // the first release of each function, which is the floor of its rules if it is newer
}

// cited is what the pages of all modules cite.
type cited struct {
	specs []*spec.Spec
	list  []spec.Citation // without measurements
	ends
}

// readPages reads the pages.
func readPages() (*cited, error) {
	c := &cited{ends: ends{came: api.Index{}}}
	for _, module := range spec.Modules() {
		s, err := spec.Embedded(module)
		if err != nil {
			return nil, err
		}
		known, err := api.KnownOf(s.Module.Facts)
		if err != nil {
			return nil, err
		}
		came, err := known.Since()
		if err != nil {
			return nil, err
		}
		maps.Copy(c.came, came)
		c.specs = append(c.specs, s)
		for _, of := range s.Citations() {
			if of.Source.Run == "" {
				c.list = append(c.list, of)
			}
		}
	}
	c.find(c.list)
	return c, nil
}

// find reads the ends off what is cited.
func (e *ends) find(list []spec.Citation) {
	later := func(to *string, release string) {
		if *to == "" || olderRelease(*to, release) {
			*to = release
		}
	}
	e.core[0] = "v" + spec.FloorRelease
	for _, c := range list {
		for _, release := range c.Source.Release {
			switch c.Source.Project {
			case spec.ProjectRDMACore:
				later(&e.core[1], release)
			case spec.ProjectLinux:
				if kernelOf(release) == spec.FloorKernel {
					later(&e.linux[0], release)
				}
				later(&e.linux[1], release)
			}
		}
	}
}

// lines returns the functions that a citation of an error rests on at the ends.
func (e *ends) lines(c spec.Citation) (out []line) {
	s := c.Source
	if c.Party == nil || c.Rule.Severity != spec.SeverityError || s.Func == "" {
		return nil
	}
	for _, release := range e.ofProject(c.Rule, c.Party, s.Project) {
		out = append(out, line{s.Project, release, s.File, s.Func})
	}
	return out
}

// ofProject returns the oldest and the newest release of a project that a rule is about.
func (e *ends) ofProject(r *spec.Rule, p *spec.Party, project string) []string {
	switch project {
	case spec.ProjectLinux:
		return e.linux[:]
	case spec.ProjectRDMACore:
		return []string{e.oldest(r, p), e.core[1]}
	}
	return nil
}

// oldest returns the release of rdma-core that a rule begins with for a party: that of the function, of the provider, or the floor.
func (e *ends) oldest(r *spec.Rule, p *spec.Party) string {
	oldest := "v" + p.Came().String()
	if came := "v" + e.came[r.Verb]; came != "v" && olderRelease(oldest, came) {
		return came
	}
	return oldest
}

// toRead lists what somebody must read: the errors that were not read at an end, and the changes that no source answers.
func (c *cited) toRead(hashes map[line]string) (todo []string) {
	for _, s := range c.specs {
		for _, r := range s.Rules() {
			if r.Severity == spec.SeverityError {
				todo = append(todo, c.unread(r, hashes)...)
			}
		}
	}
	return append(todo, unanswered(c.list, hashes)...)
}

// unread lists the parties of an error whose sources nobody has compared with an end of the range that they hold for. A source has been
// read at a release if it names the release, or another in which the function has the same text.
func (e *ends) unread(r *spec.Rule, hashes map[line]string) (out []string) {
	for i := range r.RefusedBy {
		p := &r.RefusedBy[i]
		for _, project := range []string{spec.ProjectLinux, spec.ProjectRDMACore} {
			for _, release := range e.ofProject(r, p, project) {
				rests := slices.ContainsFunc(p.Source, func(s spec.Source) bool { return projectOf(&s) == project })
				if rests && !elsewhere(p, project, release) && !read(r, p, project, release, hashes) {
					out = append(out, fmt.Sprintf("%s: %s: %s: not read at %s %s: %s", p.Pos, r.ID, p, project, release, p.Source))
				}
			}
		}
	}
	return out
}

// elsewhere reports whether a party says nothing of a release: it begins after it, ends before it because the verb is newer, or is below
// the floor.
func elsewhere(p *spec.Party, project, release string) bool {
	at, within := kernelOf(release), rangeOf(p, project)
	return at.Before(within.From) || p.WholeVerb && !within.Has(at) || p.Below()
}

// rangeOf returns the kernels or the releases of rdma-core that a party is about.
func rangeOf(p *spec.Party, project string) spec.Kernels {
	if project == spec.ProjectLinux {
		return p.Kernels
	}
	return p.Releases
}

// read reports whether a party, or another one of the same provider for all calls, has a source that was read at a release. Where a party
// ends, one for all providers may go on.
func read(r *spec.Rule, p *spec.Party, project, release string, hashes map[line]string) bool {
	at := kernelOf(release)
	return slices.ContainsFunc(r.RefusedBy, func(o spec.Party) bool {
		goesOn := !rangeOf(p, project).Has(at) && slices.Contains([]string{"", spec.Library, "librdmacm"}, o.Provider)
		return (o.Provider == p.Provider || goesOn) && (len(o.When) == 0 || o.Pos == p.Pos) && rangeOf(&o, project).Has(at) &&
			slices.ContainsFunc(o.Source, func(s spec.Source) bool { return projectOf(&s) == project && covers(&s, release, hashes) })
	})
}

// projectOf returns the project of a source; a measurement is one of the kernel.
func projectOf(s *spec.Source) string {
	if s.Run != "" {
		return spec.ProjectLinux
	}
	return s.Project
}

// covers reports whether a source was read, or run, at a release.
func covers(s *spec.Source, release string, hashes map[line]string) bool {
	if s.Run != "" {
		return slices.ContainsFunc(s.Kernels, func(text string) bool {
			r, ok := spec.ParseKernels(text)
			return ok && r.Has(kernelOf(release))
		})
	}
	if s.IsManPage() || slices.Contains(s.Release, release) {
		return true
	}
	at := func(release string) string { return hashes[line{s.Project, release, s.File, s.Func}] }
	return at(release) != "" && slices.ContainsFunc(s.Release, func(other string) bool { return at(other) == at(release) })
}

// unanswered lists the sources of rules that name releases with different texts of the function, and do not say what changed; and those
// that say it of one text.
func unanswered(list []spec.Citation, hashes map[line]string) (out []string) {
	for _, c := range list {
		s := c.Source
		if c.Rule == nil || s.Func == "" {
			continue
		}
		var texts []string
		for _, release := range s.Release {
			if h := hashes[line{s.Project, release, s.File, s.Func}]; h != "" && !slices.Contains(texts, h) {
				texts = append(texts, h)
			}
		}
		problem := ""
		switch {
		case len(texts) > 1 && s.Changed == "":
			problem = "the function changed between these releases; read it, and say under changed: what did, and why the answer is the same"
		case len(texts) == 1 && s.Changed != "":
			problem = "the function is the same in these releases; remove changed:"
		default:
			continue
		}
		if text := fmt.Sprintf("%s: %s: %s", s.Pos, s, problem); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// kernelOf reads the series of a tag: 6.12 of v6.12.117, 28.0 of v28.0.
func kernelOf(release string) spec.Kernel {
	k, _ := spec.ParseKernel(strings.TrimPrefix(release, "v"))
	return k
}

var numbersRE = regexp.MustCompile(`\d+`)

// olderRelease compares tags by their numbers.
func olderRelease(a, b string) bool {
	numbers := func(s string) (out []int) {
		for _, text := range numbersRE.FindAllString(s, -1) {
			n, _ := strconv.Atoi(text)
			out = append(out, n)
		}
		return out
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}
