// Package pythontests holds README.md, the table of rdma-core's own tests and of the cases and tests here that show the same,
// against the suite and the reports.
//
// It owns the form of that document. It runs no test on a device: what rdma-core's tests did is written down in the table, and what the
// cases did is read from docs/reports.
package pythontests
