// Package validate has the helpers of generated validators: values that may be unknown, sums that may overflow, tables of state
// transitions, and the text of values in messages.
//
// It must not know verbs, rules or generated packages.
package validate
