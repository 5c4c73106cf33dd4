// Package codes converts between the codes that verbs have for sizes and times and what programs count in, and reads addresses
// of ports from text.
//
// It must not know verbs, generated packages or C.
package codes
