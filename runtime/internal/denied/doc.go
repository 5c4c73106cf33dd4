// Package denied refuses a system call to tests, as old kernels and sandboxes do.
package denied
