// Package pythontests compares tests.tsv, the table of rdma-core's own tests and of the cases and tests here that show the same, and the
// counts and pages without a case in README.md with the suite and the reports.
//
// It owns the form of both. It runs no test on a device: the table has the results of rdma-core's tests, and docs/reports those of the
// cases.
package pythontests
