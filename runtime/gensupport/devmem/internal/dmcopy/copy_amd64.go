package dmcopy

import "golang.org/x/sys/cpu"

// avx is set where WriteWide and ReadWide may use registers of 32 bytes.
var avx = cpu.X86.HasAVX
