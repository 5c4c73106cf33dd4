//go:build linux && cgo

// The kernel's half, as one file.
#include "abi.h"

#include "kernel/src/all.c"
