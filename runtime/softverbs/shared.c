//go:build linux && cgo

// What the software device shares with the emulated card.
#include "base.h"

#include "shared/src/all.c"
