//go:build linux

#include "textflag.h"

// func ring(rec *uint32, index uint32, reg unsafe.Pointer, first uint64)
TEXT ·ring(SB), NOSPLIT, $0-32
	MOVQ rec+0(FP), DI
	MOVL index+8(FP), AX
	MOVQ reg+16(FP), DX
	MOVQ first+24(FP), CX
	MOVL AX, (DI)
	SFENCE
	MOVQ CX, (DX)
	SFENCE
	RET

// func ringWhole(rec *uint32, index uint32, reg, from unsafe.Pointer, blocks int)
TEXT ·ringWhole(SB), NOSPLIT, $0-40
	MOVQ rec+0(FP), DI
	MOVL index+8(FP), AX
	MOVQ reg+16(FP), DX
	MOVQ from+24(FP), SI
	MOVQ blocks+32(FP), CX
	MOVL AX, (DI)
	SFENCE

block:
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU X0, 0(DX)
	MOVOU X1, 16(DX)
	MOVOU X2, 32(DX)
	MOVOU X3, 48(DX)
	ADDQ $64, SI
	ADDQ $64, DX
	DECQ CX
	JNZ  block
	SFENCE
	RET
