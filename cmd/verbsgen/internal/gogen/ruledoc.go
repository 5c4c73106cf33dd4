package gogen

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// fullList is the greatest number of rules that a doc comment lists one by one, with their IDs.
const fullList = 16

// ruleList names the rules that a call of a verb can break, for its doc comment: those that refuse a call, and the hints. Of many
// rules it has one line for each field, and names the command that lists them all.
func ruleList(v *model.Verb) string {
	rules, hints := v.Checked(false), v.Checked(true)
	if len(rules)+len(hints) > fullList {
		return byField(v, rules, hints)
	}
	var parts []string
	for _, list := range []struct {
		head  string
		rules []*model.Rule
	}{{rulesHead, rules}, {hintsHead, hints}} {
		var items []string
		for _, r := range list.rules {
			items = append(items, ruleText(r)+" ["+r.ID+"]")
		}
		if len(items) > 0 {
			parts = append(parts, list.head+"\n"+listed(items))
		}
	}
	return strings.Join(parts, "\n\n")
}

// Headings of the lists of rules.
const (
	rulesHead = "Errors (the call is not made):"
	hintsHead = "Hints (some devices accept these):"
)

// ruleText is a rule in a list: the Go name of its field, and its statement.
func ruleText(r *model.Rule) string {
	name := goSubject(r)
	if name == "" {
		return r.Statement
	}
	for cname, more := r.Subject.Text, true; more; _, cname, more = strings.Cut(cname, ".") {
		if rest, ok := strings.CutPrefix(r.Statement, cname+" "); ok {
			return name + " " + rest
		}
	}
	return name + ": " + r.Statement
}

// goSubject is the Go name of what a rule is about: a parameter of the method, or a field of its builder by the names of its setters.
// It is empty for other subjects.
func goSubject(r *model.Rule) string {
	o := r.Subject
	if o == nil || o.Kind != model.OpArg || o.Param.Object != nil || o.Param.Role == role.Mask {
		return ""
	}
	_, path, inside := strings.Cut(o.Text, ".")
	if !inside || o.Param.Record == nil {
		return o.Param.Go
	}
	return setterPath(o.Param.Record, path)
}

// setterPath is the Go name of a field, and of a field of the record that it is.
func setterPath(rec *model.Record, path string) string {
	for _, f := range rec.Fields {
		if f.C == path {
			return f.Go
		}
		rest, below := strings.CutPrefix(path, f.C+".")
		for _, r := range []*model.Record{f.Nested, f.Record} {
			if below && r != nil {
				if name := setterPath(r, rest); name != "" {
					return f.Go + "." + name
				}
			}
		}
	}
	return ""
}

// byField lists many rules by their fields, each statement once, and of the hints only the fields.
func byField(v *model.Verb, rules, hints []*model.Rule) string {
	var items []string
	at := map[string]int{} // of a field in items
	for _, r := range rules {
		name, text := goSubject(r), ruleText(r)
		i, seen := at[name]
		switch {
		case name == "" || !seen:
			if name != "" {
				at[name] = len(items)
			}
			if !slices.Contains(items, text) {
				items = append(items, text)
			}
		default:
			text = strings.TrimPrefix(text, name+": ")
			if !slices.Contains(strings.Split(strings.TrimPrefix(items[i], name+": "), "; "), text) {
				items[i] += "; " + text
			}
		}
	}
	parts := []string{rulesHead + "\n" + listed(items)}
	var fields []string
	for _, r := range hints {
		if name := goSubject(r); name != "" && !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	if len(fields) > 0 {
		parts = append(parts, hintsHead+"\n"+listed([]string{strings.Join(fields, ", ")}))
	}
	return strings.Join(append(parts, say("rules listed", words{"Verb": v.C})), "\n\n")
}
