// Package suite runs the cases of the conformance suite on a device and writes down how they went.
//
// It owns what a case is, how it is run (alone, with a deadline, its panics kept in), what a device can do, which failures
// are known defects of others, and the report. It must not know any single case: package cases holds them.
package suite
