package emit

import (
	"regexp"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

var bitAdded = regexp.MustCompile(`^add (\w+) to comp_mask$`)

// cNames find names of C by the prefixes that the module's names have.
type cNames struct {
	inFix     *regexp.Regexp // of a fix. A bit that goes into a mask is set by the setter of its value.
	constants *regexp.Regexp
	others    *regexp.Regexp // functions and types
}

func newCNames(prefixes []string) cNames {
	var small []string
	for _, p := range prefixes {
		small = append(small, regexp.QuoteMeta(p))
	}
	lower := "(?:" + strings.Join(small, "|") + ")"
	upper := "(?:" + strings.ToUpper(strings.Join(small, "|")) + ")"
	return cNames{
		inFix: regexp.MustCompile(`\badd ` + upper + `[A-Z0-9_]+ to comp_mask\b|\b(?:struct |enum )?(?:` + upper + `[A-Z0-9_]+|` + lower +
			`[a-z0-9_]+)\b|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\bNULL\b|\bSIZE_MAX\b`),
		constants: regexp.MustCompile(`\b` + upper + `[A-Z0-9_]+`),
		others:    regexp.MustCompile(`\b` + lower + `[a-z0-9_]+`),
	}
}

// goFix is the fix of a rule with Go names in the place of those of C. An alternative with a function or a field that has no Go name
// is left out; with a constant that has none, the whole fix, as its alternatives are about the same thing.
func (e *emitter) goFix(v *model.Verb, r *model.Rule) string {
	var out []string
	for _, way := range strings.Split(r.Fix, ", or ") {
		unbound := ""
		way = e.names.inFix.ReplaceAllStringFunc(way, func(c string) string {
			name := e.goName(v, c)
			if name == "" {
				unbound = c
			}
			return name
		})
		switch {
		case e.names.constants.MatchString(unbound):
			return ""
		case unbound == "":
			out = append(out, way)
		}
	}
	return strings.Join(out, ", or ")
}

// goName is the Go name of what a fix names: a constant, a function, a type, a field; empty when it has none. A word with an
// underscore that names nothing is given back.
func (e *emitter) goName(v *model.Verb, c string) string {
	switch {
	case c == "NULL":
		return "nil"
	case c == "SIZE_MAX":
		return "math.MaxUint64"
	case bitAdded.MatchString(c):
		if name := e.goConstant(v, bitAdded.FindStringSubmatch(c)[1]); name != "" {
			return "set " + name
		}
		return ""
	case e.names.constants.MatchString(c):
		return e.goConstant(v, c)
	case e.names.others.MatchString(c):
		return e.goFunction(c)
	}
	return e.goField(v, c)
}

// goConstant is the Go name of a constant. A bit of a mask is the setter of what it stands for; a flag is that of the types of the
// verb, where these have it.
func (e *emitter) goConstant(v *model.Verb, c string) string {
	var enums []*model.Enum
	for _, p := range v.Params {
		enums = append(enums, p.Enum)
	}
	for _, r := range e.recordsOf(v) {
		if name := setterOf(r, c); name != "" {
			return name
		}
		for _, f := range r.Fields {
			enums = append(enums, f.Enum)
		}
	}
	for _, t := range append(enums, e.pkg.Enums...) {
		if t == nil {
			continue
		}
		for _, m := range t.Members {
			if m.C == c {
				return m.Go
			}
		}
	}
	return ""
}

// setterOf is the setter of a builder that sets a bit of its mask, or several.
func setterOf(r *model.Record, bit string) string {
	if names := fieldsOf(r, bit); len(names) > 0 {
		return r.Go + "." + strings.Join(names, ", "+r.Go+".")
	}
	for _, b := range r.Bits {
		if b.C == bit {
			return r.Go + "." + b.Go
		}
	}
	return ""
}

// goFunction is the method of a C function, or the Go type of a C type.
func (e *emitter) goFunction(c string) string {
	for _, v := range e.pkg.Verbs {
		if v.C == c && len(v.Methods) > 0 {
			return v.Methods[0].Recv + "." + v.Methods[0].Name
		}
	}
	for _, t := range e.pkg.Enums {
		if t.C == c {
			return t.Go
		}
	}
	for _, r := range e.pkg.Records {
		if "struct "+r.C == c {
			return r.Go
		}
	}
	for _, o := range e.pkg.Objects {
		if "struct "+o.C == c {
			return o.Go
		}
	}
	return ""
}

// goField is the Go name of a field: of what the verb takes, of the capabilities, or of a handle. One of what the verb takes that
// has no Go face is none that a program can set.
func (e *emitter) goField(v *model.Verb, c string) string {
	records := e.recordsOf(v)
	for _, r := range records {
		if r.Field(c) == nil && r.Mirror.Find(c) != nil {
			return ""
		}
	}
	for _, r := range e.pkg.Records {
		if r.Caps {
			records = append(records, withNested(r)...)
		}
	}
	for _, r := range records {
		if f := r.Field(c); f != nil {
			return r.Go + "." + f.Go
		}
	}
	for _, o := range e.pkg.Objects {
		for _, x := range o.Getters {
			if x.C == c {
				return o.Go + "." + x.Go
			}
		}
	}
	return c
}

// recordsOf are the records that a verb takes, with those within.
func (e *emitter) recordsOf(v *model.Verb) (out []*model.Record) {
	for _, p := range v.Params {
		if r := p.Taken(); r != nil {
			out = append(out, withNested(r)...)
		}
	}
	return out
}

// withNested are a record and those that its fields hold.
func withNested(r *model.Record) []*model.Record {
	out := []*model.Record{r}
	for _, f := range r.Fields {
		switch {
		case f.Nested != nil:
			out = append(out, withNested(f.Nested)...)
		case f.Record != nil:
			out = append(out, withNested(f.Record)...)
		}
	}
	return out
}
