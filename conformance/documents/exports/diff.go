package exports

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Change is a difference between two lists.
type Change struct {
	Name     string // "verbs", "verbs.QP" or "verbs.QP.Modify"
	Old, New string // "" where the list lacks the name
	Breaks   bool   // a program that compiled may not compile
}

func (c Change) String() string {
	switch {
	case c.New == "":
		return fmt.Sprintf("%s: removed, was %s", c.Name, c.Old)
	case c.Old == "" && c.Breaks:
		return fmt.Sprintf("%s: added to an interface that programs may implement: %s", c.Name, c.New)
	case c.Old == "":
		return fmt.Sprintf("%s: added: %s", c.Name, c.New)
	}
	return fmt.Sprintf("%s: was %s, is %s", c.Name, c.Old, c.New)
}

// Diff compares the lists of a package; nil is that of an absent one. Of a package or type that is only on one side the parts are left out.
func Diff(pkg string, before, now List) []Change {
	switch {
	case before == nil:
		return []Change{{Name: pkg, New: "package"}}
	case now == nil:
		return []Change{{Name: pkg, Old: "package", Breaks: true}}
	}
	names := maps.Clone(before)
	maps.Copy(names, now)
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := before[name], now[name]
		of, _, member := strings.Cut(name, ".")
		if was == is || member && (before[of] == "" || now[of] == "") {
			continue
		}
		open := member && strings.HasSuffix(now[of], "interface") // one without a method that only its package has
		out = append(out, Change{Name: pkg + "." + name, Old: was, New: is, Breaks: was != "" || open})
	}
	return out
}

var quoted = regexp.MustCompile("`([^`\\s]+)`")

// Unnamed returns the changes that a text does not name in backticks. A name may have the wildcards of path.Match. The name of a type
// also covers its new fields and methods; each change that may break a program needs its own name.
func Unnamed(changes []Change, text string) []Change {
	var out []Change
	for _, c := range changes {
		names := []string{c.Name}
		if !c.Breaks {
			dir, base := path.Split(c.Name)
			if parts := strings.Split(base, "."); len(parts) > 2 {
				names = append(names, dir+strings.Join(parts[:2], "."))
			}
		}
		if !slices.ContainsFunc(quoted.FindAllStringSubmatch(text, -1), func(q []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { ok, err := path.Match(q[1], name); return ok && err == nil })
		}) {
			out = append(out, c)
		}
	}
	return out
}
