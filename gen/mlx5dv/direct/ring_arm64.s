//go:build linux

#include "textflag.h"

// func ring(rec *uint32, index uint32, reg unsafe.Pointer, first uint64)
TEXT ·ring(SB), NOSPLIT, $0-32
	MOVD rec+0(FP), R0
	MOVWU index+8(FP), R1
	MOVD reg+16(FP), R2
	MOVD first+24(FP), R3
	DMB  $2             // OSHST: the requests before the record
	MOVW R1, (R0)
	DSB  $14            // ST: the record before the register
	MOVD R3, (R2)
	DSB  $14
	RET

// func ringWhole(rec *uint32, index uint32, reg, from unsafe.Pointer, blocks int)
TEXT ·ringWhole(SB), NOSPLIT, $0-40
	MOVD rec+0(FP), R0
	MOVWU index+8(FP), R1
	MOVD reg+16(FP), R2
	MOVD from+24(FP), R3
	MOVD blocks+32(FP), R4
	DMB  $2
	MOVW R1, (R0)
	DSB  $14

block:
	LDP  0(R3), (R5, R6)
	LDP  16(R3), (R7, R8)
	LDP  32(R3), (R9, R10)
	LDP  48(R3), (R11, R12)
	STP  (R5, R6), 0(R2)
	STP  (R7, R8), 16(R2)
	STP  (R9, R10), 32(R2)
	STP  (R11, R12), 48(R2)
	ADD  $64, R3
	ADD  $64, R2
	SUBS $1, R4
	BNE  block
	DSB  $14
	RET

// func record(rec *uint32, v uint32)
TEXT ·record(SB), NOSPLIT, $0-12
	MOVD rec+0(FP), R0
	MOVWU v+8(FP), R1
	DMB  $3             // OSH: also loads of completions
	MOVW R1, (R0)
	RET

// func loaded()
TEXT ·loaded(SB), NOSPLIT, $0-0
	DMB $1              // OSHLD: the owner bit before the completion
	RET
