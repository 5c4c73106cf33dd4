// Package nobarrier denies membarrier(2) to tests, as old kernels and sandboxes do.
package nobarrier
