// Package validate has what the validators of generated packages compute with: values that may be unknown, sums that may
// wrap around, tables of transitions, and how values read in messages.
//
// It must not know verbs, rules or generated packages.
package validate
