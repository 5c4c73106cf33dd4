package verr

import "strconv"

// Violations are the rules that a call breaks, as generated validators collect them. Rules are added out of line, as errors are made.
type Violations []Violation

// Add adds a broken rule with the value that breaks it, or an empty one when there is none to show.
//
//go:noinline
func (v *Violations) Add(r *Rule, value string) {
	*v = append(*v, Violation{Rule: r, Value: value})
}

// Beyond is Add for a rule whose limit is known at run time alone.
//
//go:noinline
func (v *Violations) Beyond(r *Rule, value string, limit uint64) {
	*v = append(*v, Violation{Rule: r, Value: value, Limit: strconv.FormatUint(limit, 10)})
}
