package spec

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Party is a provider, on some kernels and in some releases of rdma-core, that is known to accept or to refuse what a rule forbids.
type Party struct {
	Entry
	Provider  string  `page:"party"`    // folder of the provider in rdma-core, VFIO or Library; empty for every provider but VFIO
	Kernel    string  `page:"kernels"`  // range of Linux kernels as written; empty for every kernel
	Release   string  `page:"releases"` // range of releases of rdma-core as written; empty for every release
	When      []Atom  `page:"some"`     // all hold, or the party answers otherwise
	But       string  // accepted, but not as the page describes: what happens instead
	WholeVerb bool    // it refuses every call of the verb, not only those that break the rule
	Crash     bool    // nobody looks: the call crashes the program or corrupts its memory, or a later call does so
	Source    Sources `page:"must"` // where this is known from

	Kernels  Kernels `page:"-"` // Kernel, parsed
	Releases Kernels `page:"-"` // Release, parsed: releases of rdma-core have two numbers too
}

// Library as a provider stands for code of libibverbs itself, which every provider's calls go through.
const Library = "libibverbs"

// libraries are the providers that stand for code which the calls of every provider go through.
var libraries = []string{Library, "librdmacm"}

// String returns the name of the party: "rxe of rdma-core <34.0 with linux >=7.2".
func (p *Party) String() string {
	out := p.Provider
	if p.Release != "" {
		out = strings.TrimPrefix(out+" of rdma-core "+p.Release, " of ")
	}
	switch {
	case out == "" && p.Kernel == "":
		return "every provider"
	case out == "":
		return "linux " + p.Kernel
	case p.Kernel == "":
		return out
	}
	return out + " with linux " + p.Kernel
}

// Describe returns the name of the party and, in parentheses, what differs from the man page: "rxe with linux 6.1 (the
// flag is ignored)", that it is not about the rule: "linux >=6.1 (every call of the verb)", or that nobody looks: "libibverbs
// (the program crashes)".
func (p *Party) Describe() string {
	switch {
	case p.Crash:
		return p.String() + " (the program crashes)"
	case p.WholeVerb:
		return p.String() + " (every call of the verb)"
	case p.But == "":
		return p.String()
	}
	return p.String() + " (" + p.But + ")"
}

// Platform is the provider, the kernel and the release of rdma-core for which a call is judged. The zero value of each is unknown.
type Platform struct {
	Provider string
	Kernel   Kernel
	Release  Kernel
}

// has reports whether the platform is certainly one of the party.
func (p *Party) has(at Platform) bool {
	if at.Provider == VFIO {
		return p.Provider == VFIO
	}
	if p.Provider != "" && !slices.Contains(libraries, p.Provider) && p.Provider != at.Provider {
		return false
	}
	return within(p.Kernel, p.Kernels, at.Kernel) && within(p.Release, p.Releases, at.Release)
}

// within reports whether k is certainly in a range that was written as text.
func within(text string, r Kernels, k Kernel) bool { return text == "" || k != (Kernel{}) && r.Has(k) }

// Answer is what a platform is known to do with a call that a rule forbids.
type Answer uint8

// Answers.
const (
	AnswerUnknown  Answer = iota
	AnswerAccepted        // accepted, as if the rule were not there
	AnswerAltered         // accepted, but not as the page describes
	AnswerRefused
)

// AnswerOf looks up what a platform does with a call that breaks the rule. A party that names the provider goes before
// one that names none. applies evaluates the conditions of a party.
func (r *Rule) AnswerOf(at Platform, applies func([]Atom) bool) Answer {
	for _, named := range []bool{true, false} {
		find := func(list []Party) *Party {
			i := slices.IndexFunc(list, func(p Party) bool { return (p.Provider != "") == named && p.has(at) && applies(p.When) })
			if i < 0 {
				return nil
			}
			return &list[i]
		}
		switch accepted, refused := find(r.AcceptedBy), find(r.RefusedBy); {
		case refused != nil:
			return AnswerRefused
		case accepted != nil && accepted.But != "":
			return AnswerAltered
		case accepted != nil:
			return AnswerAccepted
		}
	}
	return AnswerUnknown
}

// NeverTaken returns who refuses every call of a verb, whatever its arguments and its provider are: parties of the rules of the
// verb, each once. A kernel that is not known may be any.
func (s *Spec) NeverTaken(verb string, at Platform) []Party {
	var out []Party
	for _, r := range s.RulesOf(verb) {
		for _, p := range r.RefusedBy {
			known := slices.ContainsFunc(out, func(o Party) bool { return o.Kernel == p.Kernel })
			there := at.Kernel == (Kernel{}) && at.Provider != VFIO || p.has(at)
			if p.WholeVerb && p.Provider == "" && there && !known {
				out = append(out, p)
			}
		}
	}
	return out
}

// providers are the folders below providers/ that rdma-core has, or has had since release 33, and VFIO.
var providers = []string{"bnxt_re", "cxgb4", "efa", "erdma", "hbl", "hfi1verbs", "hns", "i40iw", "ionic", "ipathverbs", "irdma", "mana",
	"mlx4", "mlx5", VFIO, "mthca", "ocrdma", "qedr", "rxe", "siw", "vmw_pvrdma", "xscale", "zrdma"}

// newProviders has the release of rdma-core that a provider came with, if that is after the floor.
var newProviders = map[string]Kernel{"erdma": {43, 0}, "ionic": {61, 0}, "irdma": {37, 0}, "mana": {44, 0}}

// Came returns the release of rdma-core that the provider of the party came with, or the floor.
func (p *Party) Came() Kernel {
	if k, ok := newProviders[p.Provider]; ok {
		return k
	}
	return floorRelease
}

// Providers lists the names of all providers, sorted.
func Providers() []string { return slices.Clone(providers) }

// Kernel is a release series of Linux: 6.12 for all of 6.12.x.
type Kernel struct{ Major, Minor int }

var kernelRelease = regexp.MustCompile(`^([1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,3})(?:[.+-].*)?$`)

// ParseKernel reads a release as `uname -r` prints it; what follows the first two numbers does not count.
func ParseKernel(s string) (k Kernel, ok bool) {
	m := kernelRelease.FindStringSubmatch(s)
	if m == nil {
		return k, false
	}
	k.Major, _ = strconv.Atoi(m[1])
	k.Minor, _ = strconv.Atoi(m[2])
	return k, true
}

// String returns the series: "6.12".
func (k Kernel) String() string { return strconv.Itoa(k.Major) + "." + strconv.Itoa(k.Minor) }

// Before reports whether k is older than o.
func (k Kernel) Before(o Kernel) bool {
	return k.Major < o.Major || k.Major == o.Major && k.Minor < o.Minor
}

// Kernels is a range of kernels: from From on, and before End unless that is zero.
type Kernels struct{ From, End Kernel }

// Has reports whether k is in the range.
func (r Kernels) Has(k Kernel) bool {
	return !k.Before(r.From) && (r.End == (Kernel{}) || k.Before(r.End))
}

// overlaps reports whether a kernel is in both ranges.
func (r Kernels) overlaps(o Kernels) bool {
	ends := func(a, b Kernels) bool { return a.End != (Kernel{}) && !b.From.Before(a.End) }
	return !ends(r, o) && !ends(o, r)
}

var kernelSeries = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// ParseKernels reads ">=6.12", "<6.12", "6.1..7.2" (both included) or "6.1".
func ParseKernels(s string) (r Kernels, ok bool) {
	series := func(s string) (Kernel, bool) {
		k, ok := ParseKernel(s)
		return k, ok && kernelSeries.MatchString(s)
	}
	if from, yes := strings.CutPrefix(s, ">="); yes {
		r.From, ok = series(from)
		return r, ok
	}
	if end, yes := strings.CutPrefix(s, "<"); yes {
		r.End, ok = series(end)
		return r, ok
	}
	from, to, isRange := strings.Cut(s, "..")
	if !isRange {
		to = from
	}
	first, ok1 := series(from)
	last, ok2 := series(to)
	if !ok1 || !ok2 || last.Before(first) {
		return r, false
	}
	return Kernels{first, Kernel{last.Major, last.Minor + 1}}, true
}
