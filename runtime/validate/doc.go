// Package validate has the helpers of generated validators: values that may be unknown, sums that may
// wrap around, tables of transitions, and how values read in messages.
//
// It must not know verbs, rules or generated packages.
package validate
