package fail

import (
	"strconv"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Violations are the rules that a call breaks, as generated validators collect them. Rules are added out of line, as errors are made.
type Violations []verr.Violation

// Add adds a broken rule with the value that breaks it, and the limit of the value where that is known only at run time.
//
//go:noinline
func (v *Violations) Add(r *verr.Rule, value uint64, limit ...uint64) {
	if v == nil {
		return
	}
	broken := verr.Violation{Rule: r, Value: strconv.FormatUint(value, 10)}
	if r != nil && r.Text != nil {
		broken.Value = r.Text(value)
	}
	if len(limit) > 0 {
		broken.Limit = strconv.FormatUint(limit[0], 10)
	}
	*v = append(*v, broken)
}

// If is Add for a rule that is broken. A validator that runs in each call has an if statement in its place, which is quicker.
func (v *Violations) If(broken bool, r *verr.Rule, value uint64, limit ...uint64) {
	if broken {
		v.Add(r, value, limit...)
	}
}

// AddText is Add for a value that is not a number.
//
//go:noinline
func (v *Violations) AddText(r *verr.Rule, value string) {
	if v != nil {
		*v = append(*v, verr.Violation{Rule: r, Value: value})
	}
}

// Err returns the error of a call that was not made because it breaks these rules, nil when there are none.
func (v Violations) Err(verb string) error {
	if len(v) == 0 {
		return nil
	}
	return Refuse(verb, v...)
}
